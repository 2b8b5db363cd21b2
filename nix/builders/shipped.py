"""Programs of Debian packages, and the libraries that they need: what a step carries of its own."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import deb
from elf import LOADER, Patchelf, patch_loader

PROGRAM = re.compile(r"(usr/)?s?bin/[^/]+")
LIBRARY = re.compile(r"(usr/)?lib(64)?/(x86_64-linux-gnu/)?[^/]+\.so[^/]*")


def put(path: Path, content: bytes) -> Path:
    """Write an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755)
    return path


def shipped(packages: Iterable[Path]) -> dict[str, bytes]:
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


def settle(
    programs: Iterable[Path],
    libraries: Path,
    files: Mapping[str, bytes],
    patchelf: Patchelf,
    loaded: Iterable[str] = (),
) -> None:
    """Let ``programs`` run on a loader and libraries out of ``files``, which are written to the folder ``libraries``.

    ``loaded`` names libraries that nothing asks for and that are loaded by name while a program runs.

    Raises:
        KeyError: a library is in none of the packages.
    """
    programs = list(programs)
    todo = [LOADER, *loaded, *(name for program in programs for name in patchelf.needed(program))]
    while todo:
        library = libraries / todo.pop()
        if not library.exists():
            put(library, files[library.name])
            todo += [] if library.name == LOADER else patchelf.needed(library)
    patch_loader(libraries / LOADER)
    for program in programs:
        patchelf.relocate(program, libraries)
