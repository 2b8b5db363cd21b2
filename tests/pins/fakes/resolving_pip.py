"""pip3 for resolving: reports what is wanted and all that it depends on, at the bound version or the newest."""

import json
import os
import re
import sys
from pathlib import Path

if sys.argv[1] == "config":
    sys.exit("ERROR: No such key - global.cert")
registry = json.loads(Path(os.environ["FAKE_PROJECTS"]).read_text())
options = dict(flag.split("=", 1) for flag in sys.argv if flag.startswith("--") and "=" in flag)
bound = dict(re.findall(r"(\S+)==(\S+)", Path(options["--constraint"]).read_text()))
wanted = [argument for argument in sys.argv[2:] if not argument.startswith("-")]
found = {}
while wanted:
    name = wanted.pop()
    if name not in found:
        found[name] = bound.get(name, registry[name]["newest"])
        wanted += registry[name]["needs"]
scheme = os.environ.get("FAKE_SCHEME", "https")
installs = [
    {
        "metadata": {"name": name.replace("-", "_").title(), "version": version},
        "download_info": {
            "url": f"{scheme}:" + f"//registry.invalid/x/{name}-{version}-py3-none-any.whl",
            "archive_info": {"hashes": {"sha256": f"{len(name):064x}"}},
        },
    }
    for name, version in found.items()
]
Path(options["--report"]).write_text(json.dumps({"install": installs}))
