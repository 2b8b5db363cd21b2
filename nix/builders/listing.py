"""The canonical listing of a folder tree, and its digest.

One line for each entry below the root, in the byte order of their paths: ``KIND<tab>VALUE<tab>PATH<newline>``.
KIND is ``d`` (folder), ``f`` (file), ``x`` (executable file) or ``l`` (symbolic link); VALUE is empty for a folder, the
SHA-256 of a file, the target of a link. Owners, times and other mode bits don't count: a Nix store doesn't keep them.
The digest of the tree is the SHA-256 of the listing.
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """One line of a listing."""

    kind: str
    value: str
    path: str


def entry(path: Path, name: str) -> Entry:
    """The entry of the file, folder or link at ``path``, called ``name``."""
    if path.is_symlink():
        return Entry("l", str(path.readlink()), name)
    if path.is_dir():
        return Entry("d", "", name)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Entry("x" if path.stat().st_mode & 0o100 else "f", digest, name)


def walk(root: Path) -> list[Entry]:
    """Every entry below ``root``."""
    found = []
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = Path(folder, name)
            found.append(entry(path, str(path.relative_to(root))))
    return found


def text(entries: Iterable[Entry]) -> str:
    """The listing of ``entries``."""
    lines = []
    for item in sorted(entries, key=lambda item: os.fsencode(item.path)):
        if any(mark in field for field in item for mark in "\t\n"):
            raise ValueError(f"{item.path!r}: tabs and newlines have no place in a listing")
        lines.append("\t".join(item) + "\n")
    return "".join(lines)


def parse(listing: str) -> list[Entry]:
    """The entries of a listing."""
    return [Entry(*line.split("\t")) for line in listing.splitlines()]
