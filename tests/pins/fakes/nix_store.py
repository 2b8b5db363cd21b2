"""nix-store: adds files and the seed under their fixed paths; everything that is there is valid, but for *.invalid."""

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, os.environ["FAKE_MODULES"])
from fetching import seed, storepath

with Path(os.environ["FAKE_CALLS"]).open("a") as calls:
    calls.write(json.dumps(["nix-store", *sys.argv[1:]]) + "\n")
store = os.environ["NIX_STORE_DIR"]
if sys.argv[1] == "--check-validity":
    for path in sys.argv[3:]:
        if Path(path + ".invalid").exists():
            print(path)
elif sys.argv[2] == "--recursive":
    tree = Path(sys.argv[4])
    nar = hashlib.sha256(seed.nar((tree / "bin/busybox").read_bytes())).hexdigest()
    print(path := storepath.of_tree(tree.name, nar, store))
    shutil.copytree(tree, path)
else:
    for file in map(Path, sys.argv[3:]):
        print(path := storepath.of_file(file.name, hashlib.sha256(file.read_bytes()).hexdigest(), store))
        shutil.copyfile(file, path)
        Path(path + ".invalid").unlink(missing_ok=True)
