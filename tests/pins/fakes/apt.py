"""apt-cache or apt-get for resolving: stanzas from a file, and a simulated installation of all that is not left out."""

import os
import re
import sys
from pathlib import Path

stanzas = {
    re.search(r"^Package: (\S+)", text, re.MULTILINE)[1]: text
    for text in Path(os.environ["FAKE_STANZAS"]).read_text().strip().split("\n\n")
}
status = next(flag for flag in sys.argv if flag.startswith("Dir::State::status=")).partition("=")[2]
installed = set(re.findall(r"^Package: (\S+)", Path(status).read_text(), re.MULTILINE))
if Path(sys.argv[0]).name == "apt-cache":
    names = [name.partition("=")[0] for name in sys.argv[sys.argv.index("--no-all-versions") + 1 :]]
    print("\n\n".join(stanzas[name] for name in names))
else:
    for name, text in stanzas.items():
        if name not in installed:
            version = re.search(r"^Version: (\S+)", text, re.MULTILINE)[1]
            print(f"Inst {name} ({version} {os.environ.get('FAKE_ORIGIN', 'Debian:12.15/oldstable')} [amd64])")
