"""The source tree on its way to the account: tracked files as they stand, uncommitted edits included."""

import contextlib
import os
import stat
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from account import Account, HandoverError
from folder import free_name


class Entry(NamedTuple):
    """One file or symbolic link of the tree."""

    path: str
    content: bytes  # of a link: its target
    kind: str  # "file", "executable" or "link"


def read_tree(tree: Path, account: Account) -> tuple[Entry, ...]:
    """Read what is to be handed over: what git tracks, or without git every file that isn't the account's.

    Raises HandoverError where this is no source tree of the project.
    """
    names = _tracked(tree, os.environ) if (tree / ".git").exists() else _all_files(tree, account)
    entries = tuple(entry for name in sorted(names) if (entry := _read(tree, name)) is not None)
    if not any(entry.path == "flake.nix" for entry in entries):
        raise HandoverError(
            f"{tree} holds no flake.nix to hand over to user {account.name}. In a git checkout the file must be "
            f"tracked; elsewhere the files must not belong to {account.name} (results do)."
        )
    return entries


def folders(entries: Iterable[Entry]) -> frozenset[str]:
    """Return every folder of the tree, the top one as ``"."``."""
    return frozenset(str(parent) for entry in entries for parent in Path(entry.path).parents)


def receive(entries: Iterable[Entry], folder: Path, environment: Mapping[str, str]) -> None:
    """Make ``folder`` hold exactly these entries, as the user who calls. Whatever else is in it (results) stays.

    The folder is a git repository of its own, so that Nix takes the entries for the flake and leaves the results out;
    its index is the list of what the tree held the last time. The folder above gets the time of this call.
    """
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder.parent)  # `harness gc` goes by it
    if not (folder / ".git").is_dir():
        _git(folder, environment, "init", "--quiet", "--initial-branch=tree")
    wanted = {entry.path: entry for entry in entries}
    before = _tracked(folder, environment)
    gone = before - wanted.keys()
    for name in gone:
        _remove(folder, name)
    changed = [entry for entry in wanted.values() if _place(folder, entry)]
    if changed or gone or before != wanted.keys():
        _index(folder, environment, sorted(wanted))


def _tracked(folder: Path, environment: Mapping[str, str]) -> set[str]:
    # Root may be asked to read another user's repository; nothing that its configuration names is run.
    listing = _git(folder, environment, "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "ls-files", "-z")
    return {os.fsdecode(name) for name in listing.split(b"\0") if name}


def _git(folder: Path, environment: Mapping[str, str], *arguments: str, data: bytes = b"") -> bytes:
    clean = {
        name: value for name, value in environment.items() if name == "GIT_INDEX_FILE" or not name.startswith("GIT_")
    }
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], input=data, capture_output=True, env=clean, check=False
    )
    if done.returncode != 0:
        raise HandoverError(f"git failed in {folder}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def _all_files(tree: Path, account: Account) -> Iterator[str]:
    for folder, subfolders, files in os.walk(tree):
        here = Path(folder)
        subfolders[:] = [name for name in subfolders if (here / name).lstat().st_uid != account.uid]
        for name in files + [name for name in subfolders if (here / name).is_symlink()]:
            if (here / name).lstat().st_uid != account.uid:
                yield str((here / name).relative_to(tree))


def _read(tree: Path, name: str) -> "Entry | None":
    path = tree / name
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None  # tracked, but removed from the working tree
    if stat.S_ISLNK(mode):
        return Entry(name, os.fsencode(path.readlink()), "link")
    if stat.S_ISREG(mode):
        return Entry(name, path.read_bytes(), "executable" if mode & stat.S_IXUSR else "file")
    return None


def _place(folder: Path, entry: Entry) -> bool:
    """Write one entry if it isn't there already, and tell whether it had to be written."""
    if _read(folder, entry.path) == entry:
        return False
    path = folder / entry.path
    for parent in [*reversed(path.relative_to(folder).parents)][1:]:
        if not _is_folder(folder / parent):
            _set_aside(folder / parent)
            (folder / parent).mkdir()
    if _is_folder(path):
        _set_aside(path)
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    if entry.kind == "link":
        part.symlink_to(os.fsdecode(entry.content))
    else:
        part.write_bytes(entry.content)
        part.chmod(0o755 if entry.kind == "executable" else 0o644)
    part.replace(path)
    return True


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _set_aside(path: Path) -> None:
    """Rename whatever stands where the tree now has something else: it is a result."""
    if os.path.lexists(path):
        path.rename(path.with_name(free_name(path.name, [other.name for other in path.parent.iterdir()])))


def _remove(folder: Path, name: str) -> None:
    path = folder / name
    if not _is_folder(path):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            path.unlink()
    for parent in [*path.relative_to(folder).parents][:-1]:
        with contextlib.suppress(OSError):  # not empty: it stays
            (folder / parent).rmdir()


def _index(folder: Path, environment: Mapping[str, str], names: Iterable[str]) -> None:
    fresh = folder / ".git/index.new"  # a command that runs here meanwhile sees the old index or the new one
    fresh.unlink(missing_ok=True)
    listing = b"".join(os.fsencode(name) + b"\0" for name in names)
    _git(folder, {**environment, "GIT_INDEX_FILE": str(fresh)}, "update-index", "--add", "-z", "--stdin", data=listing)
    fresh.replace(folder / ".git/index")
