"""apt-get, pip3 or npm: serves files from a shelf into the current folder, all of them or none."""

import hashlib
import json
import os
import re
import shutil
import sys
from pathlib import Path

command = Path(sys.argv[0]).name
with Path(os.environ["FAKE_CALLS"]).open("a") as calls:
    calls.write(json.dumps([command, *sys.argv[1:]]) + "\n")
shelf = Path(os.environ["FAKE_SHELF"])
index = json.loads((shelf / "index.json").read_text())

expected = {}
if command == "apt-get":
    wanted = [spec.replace("=", "@") for spec in sys.argv[sys.argv.index("download") + 1 :]]
elif command == "npm":
    wanted = [spec for spec in sys.argv[sys.argv.index("pack") + 1 :] if not spec.startswith("--")]
else:
    (requirements,) = (flag.partition("=")[2] for flag in sys.argv if flag.startswith("--requirement="))
    expected = {
        f"{name}@{version}": sha256
        for name, version, sha256 in re.findall(r"(\S+)==(\S+) --hash=sha256:(\S+)", Path(requirements).read_text())
    }
    wanted = list(expected)

for spec in wanted:
    if spec not in index:
        sys.exit(f"{command}: there is no {spec}")
    found = hashlib.sha256((shelf / index[spec]).read_bytes()).hexdigest()
    if found != expected.get(spec, found):
        sys.exit(
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n"
            f"    {spec}:\n        Expected sha256 {expected[spec]}\n             Got        {found}"
        )
for spec in wanted:
    shutil.copyfile(shelf / index[spec], index[spec])
