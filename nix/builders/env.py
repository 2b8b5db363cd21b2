"""An environment of pinned wheels. Nothing is downloaded, and no script of a package runs.

Inputs: ``python`` (the interpreter's store path), ``wheels`` (what this layer adds) and ``below`` (the environments
under it).
"""

from pathlib import Path

from bytecode import compile_tree
from job import INPUTS, OUT, paths
from layer import make_environment
from wheel import Target, unpack

site = make_environment(OUT, Path(INPUTS["python"]), paths("below"))
target = Target(site=site, scripts=OUT / "bin", data=OUT, shebang=f"#!{OUT}/bin/python3 -I")
for wheel in paths("wheels"):
    unpack(wheel, target)
# Some wheels ship templates and files for other Pythons, which don't compile.
compile_tree(site, check=False)
