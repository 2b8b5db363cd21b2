"""Writing a Debian-like folder tree with a merged /usr, path by path."""

import re
import shutil
from pathlib import Path

import deb
from wheel import put

MERGED = ("bin", "sbin", "lib", "lib64")

# Documents and translations; copyright files stay.
LEFT_OUT = re.compile(r"usr/share/(doc/(?!.*copyright)|(man|info|lintian|locale|bug)/)")


def merged(path: str) -> str:
    """Where ``path`` of a package lies in a tree with a merged /usr."""
    return f"usr/{path}" if path.split("/")[0] in MERGED else path


class Tree:
    """A tree under construction. Nothing is ever written twice."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in MERGED:
            self.folder(f"usr/{name}")
            self.link(name, f"usr/{name}")

    def folder(self, path: str) -> None:
        """Make a folder; it may stand there already."""
        (self.root / path).mkdir(parents=True, exist_ok=True)

    def file(self, path: str, content: bytes | str, executable: bool = False) -> None:
        """Write a file. Set-user-id bits and the like are dropped: a Nix store has none."""
        put(self.root / path, content.encode() if isinstance(content, str) else content, executable)

    def link(self, path: str, target: str) -> None:
        """Make a symbolic link."""
        self.folder(str(Path(path).parent))
        (self.root / path).symlink_to(target)

    def drop(self, path: str) -> None:
        """Remove an empty folder, if it is there."""
        if (self.root / path).is_dir():
            (self.root / path).rmdir()

    def unpack(self, package: Path) -> None:
        """Unpack a Debian package; its maintainer scripts are not run."""
        for path, info, content in deb.data(package):
            place = merged(path)
            if LEFT_OUT.match(f"{place}/"):
                continue
            if info.isdir():
                self.folder(place)
            elif info.issym():
                self.link(place, info.linkname)
            elif info.islnk():
                shutil.copyfile(self.root / merged(info.linkname.removeprefix("./")), self.root / place)
            elif info.isreg():
                self.file(place, content, bool(info.mode & 0o111))
            else:
                raise ValueError(f"{package}: {path} is neither file, folder nor link")
