"""Results on their way between the checkout, which is root's, and the work folder, which is the account's.

A result is an entry that belongs to the account and isn't part of the source tree. Between calls it stands in the
checkout, where root finds it; while a command runs it stands in the work folder, where the account can write it. It is
moved whole.

Hidden entries (caches, .git) and __pycache__ are never results. No name that the account made is followed, only
renamed.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from account import Account, run_as, say
from crossing import move_back, move_in, recover
from folder import Folder, free_name, inner, opened


class Place(NamedTuple):
    """One of the two: the checkout or the work folder."""

    top: Path  # trusted
    below: str  # no part of it is followed if it is a link
    source: frozenset[str]  # every path of the source tree, its folders included

    def each(self, names: Iterable[str]) -> Iterator[tuple[str, Folder]]:
        """Open, one after the other, those of these folders that are there."""
        for name in sorted(names):
            with contextlib.ExitStack() as stack:
                try:
                    folder = stack.enter_context(opened(self.top, f"{self.below}/{name}"))
                except (FileNotFoundError, NotADirectoryError):
                    continue
                yield name, folder

    def others(self, name: str, folder: Folder) -> list[str]:
        """Return what stands in a folder beside the source tree."""
        return [
            entry
            for entry in folder.names()
            if os.path.normpath(f"{name}/{entry}") not in self.source
            and not entry.startswith(".")
            and entry != "__pycache__"
        ]

    def results(self, name: str, folder: Folder, account: Account) -> list[str]:
        """Return what stands in a folder and is a result."""
        return [entry for entry in self.others(name, folder) if folder.owner(entry) == account.uid]


def bring_in(checkout: Place, work: Place, account: Account, folders: Iterable[str]) -> list[str]:
    """Move the results in the checkout to the work folder; return their paths.

    They are looked for in ``folders``, the source tree's, and in top folders that someone else made: ``mkdir runs``.
    """
    with opened(checkout.top) as top:
        made = [
            entry for entry in checkout.others(".", top) if top.is_folder(entry) and top.owner(entry) != account.uid
        ]
    known: list[str] = []
    for name, here in checkout.each({*folders, *made}):
        recover(here)
        results = checkout.results(name, here, account)
        if results:
            _move_all_in(here, results, work, name, account)
            known += [os.path.normpath(f"{name}/{result}") for result in results]
    return known


def _move_all_in(here: Folder, results: list[str], work: Place, name: str, account: Account) -> None:
    run_as(account, lambda: (work.top / work.below / name).mkdir(parents=True, exist_ok=True))
    with opened(work.top, f"{work.below}/{name}") as there:
        for result in results:
            if result in there.names():
                say(f"{here.path / result} stays where it is: an interrupted call left {there.path / result}, used now")
            else:
                move_in(here, result, there, account)


def bring_back(work: Place, checkout: Place, account: Account, folders: Iterable[str]) -> list[str]:
    """Move the results in the work folder to the checkout; return their paths in it.

    What has a name already is never overwritten: the result that comes gets the next free name.
    """
    returned: list[str] = []
    for name, here in work.each(folders):
        results = work.results(name, here, account)
        if results:
            with opened(checkout.top, f"{checkout.below}/{name}") as there:
                for result in results:
                    returned += [os.path.normpath(f"{name}/{path}") for path in _place(here, result, there, account)]
    return returned


def _place(here: Folder, result: str, there: Folder, account: Account) -> list[str]:
    if result not in there.names():
        move_back(here, result, there, result, account)
        return [result]
    if here.is_folder(result) and there.is_folder(result) and there.owner(result) != account.uid:
        with inner(here, result) as source, inner(there, result) as target:
            entries = source.names()
            if not {*entries} & {*target.names()}:
                for entry in entries:
                    move_back(source, entry, target, entry, account)
                os.rmdir(result, dir_fd=here.fd)
                return [f"{result}/{entry}" for entry in entries]
    new_name = free_name(result, there.names())
    say(f"{there.path / result} exists: the result of that name comes back as {new_name}")
    move_back(here, result, there, new_name, account)
    return [new_name]
