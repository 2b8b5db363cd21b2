"""Source trees that nix/setup.sh has handed over to this account: copies, made again whenever they are needed.

Each stands in HOME/trees/NAME-KEY/tree, a git repository of its own. Results that an interrupted command left in one
are no copies: then it stays. The time of NAME-KEY is that of the last command.
"""

import contextlib
import os
import re
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Final

from harness.store.foreign.removing import remove as remove_tree
from harness.store.leftovers import Leftover, size

TREE: Final = "old source tree"

PROC = Path("/proc")

_NAME = re.compile(r".+-[0-9a-f]{8}|\.[0-9a-f]{16}")  # the latter was being removed when that was killed


def find(home: Path, before: float) -> tuple[list[Leftover], list[str]]:
    """The trees that were last used before a time (seconds since 1970), and why others of that age stay."""
    found, notes = [], []
    for folder in sorted((home / "trees").glob("*")):
        if _NAME.fullmatch(folder.name) is None or not folder.is_dir() or _used(folder) >= before:
            continue
        if why := _in_use(folder):
            notes.append(f"{folder} stays: {why}")
        else:
            found.append(Leftover(folder, TREE, size(folder)))
    return found, notes


def remove(tree: Leftover, before: float) -> bool:
    """Remove a tree unless it is in use by now; whoever comes meanwhile finds none, and makes it."""
    aside = tree.path.with_name(f".{secrets.token_hex(8)}")
    try:
        tree.path.rename(aside)
    except FileNotFoundError:
        return False
    if _used(aside) >= before or _in_use(aside):
        aside.rename(tree.path)
        return False
    remove_tree(aside)
    return True


def _used(folder: Path) -> float:
    times = [folder.stat().st_mtime]
    with contextlib.suppress(OSError):
        times.append((folder / "tree/.git/index").stat().st_mtime)
    return max(times)


def _in_use(folder: Path) -> str | None:
    """Why a tree can't go, if so."""
    if any(folder in (here, *here.parents) for here in _working_folders()):
        return "a process works in it"
    if not (folder / "tree/.git").is_dir():
        return None if not (folder / "tree").exists() else "its tree is no git repository"
    try:
        results = list(_results(folder / "tree"))
    except (OSError, subprocess.CalledProcessError) as error:
        return f"git can't tell whether it holds results ({error})"
    return f"it holds results that were not brought back, such as {results[0]}" if results else None


def _working_folders() -> Iterator[Path]:
    """Of all processes that may be asked."""
    for entry in PROC.iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                yield (entry / "cwd").readlink()


def _results(tree: Path) -> Iterator[str]:
    """What stands beside the source, as nix/setup/handover counts it: nothing hidden, no caches."""
    words = ["-c", "core.fsmonitor=false", "ls-files", "-z", "--others"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(["git", "-C", str(tree), *words], capture_output=True, env=clean, check=True)
    for name in map(os.fsdecode, filter(None, done.stdout.split(b"\0"))):
        if not any(part.startswith(".") or part == "__pycache__" for part in PurePath(name).parts):
            yield name
