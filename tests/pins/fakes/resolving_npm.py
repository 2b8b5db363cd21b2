"""npm for resolving: a package whose content is its name, and the integrity value that the test set."""

import json
import os
import sys
from pathlib import Path

if sys.argv[1] == "view":
    print(json.dumps(os.environ["FAKE_INTEGRITY"]))
else:
    name, _, version = sys.argv[-1].rpartition("@")
    Path(f"{name.lstrip('@').replace('/', '-')}-{version}.tgz").write_text(name)
