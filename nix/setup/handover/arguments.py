"""Arguments of the command that name something the account could not reach: said before anything starts."""

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from account import Account


def unreachable(command: Iterable[str], tree: Path, source: Collection[str], account: Account) -> Iterator[str]:
    """One line for each argument that names a path of this checkout which doesn't come along, or one outside of it.

    ``source``: the paths that are handed over. What belongs to the account comes along as well. Values of options
    count too, as in ``--run=R``.
    """
    for argument in command:
        value = argument.partition("=")[2] if argument.startswith("-") else argument
        if not value or "\0" in value or value.startswith("/"):
            continue
        path = os.path.normpath(value)
        if path.split("/")[0] == ".." and "/" in value:
            yield f"{value} lies outside of this checkout, where {account.name} runs no command: name a path below it."
        elif path not in source and _is_anothers(tree, path, account):
            yield (
                f"{value} is there, but neither tracked by git nor {account.name}'s, so it would not come along. "
                f"Do  git add {path}  or, as root:  chown -R {account.name}: {tree / path}"
            )


def _is_anothers(tree: Path, path: str, account: Account) -> bool:
    """Whether nothing of the path comes along: it isn't the account's, nor is anything in it. Hidden ones never do."""
    if path.startswith("."):
        return False
    try:
        found = (tree / path).lstat()
        inside = [entry.stat(follow_symlinks=False).st_uid for entry in os.scandir(tree / path)]
    except NotADirectoryError:
        return found.st_uid != account.uid
    except OSError:
        return False
    return found.st_uid != account.uid and bool(inside) and account.uid not in inside
