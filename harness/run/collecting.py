"""What `harness gc` may take away: of a run, once nobody works on it, and of this account on this node."""

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import attrs

from harness.errors import EXIT_OK, HarnessError, UsageError
from harness.run import scorers, trees
from harness.run.owners import owners
from harness.sandbox import base, fitness, namespace, state
from harness.store import leftovers, plainly, reading
from harness.store.atomic import explained
from harness.store.leftovers import Leftover
from harness.store.runfolder import RunFolder

STATE: Final = "state of a dead process"

MINUTE = 60.0


@attrs.frozen
class Found:
    """What can go, and what a person should know beside."""

    leftovers: tuple[Leftover, ...]
    notes: tuple[str, ...] = ()


def of_run(run: RunFolder, before: float, *, old_scores: bool = False) -> Found:
    """What killed writers left in a run before a time (seconds since 1970).

    ``old_scores``: also the scores of scorers that no longer grade the run. Raises HarnessError where somebody works on
    the run, or may do so; StoreCorruptError where it has a link, or a record of it is gone or can't be read, for that
    may name any blob; UsageError where nothing says which scorer grades it.
    """
    with reading.corrupt(run.layout.root):
        plainly.check(run)
        notes = _unseen(run, before) + [
            f"{path} is named as an unfinished archive or import, but is neither file nor folder: it stays"
            for path in leftovers.strange(run)
        ]
        counts = scorers.current(run) if old_scores else None
        if old_scores and counts is None:
            raise UsageError(f"Nothing in {run.layout.root} says which scorer grades it: no scores are old.")
        return Found(tuple(leftovers.find(run, before, counts=counts)), tuple(notes))


def remove_of_run(run: RunFolder, found: Found, before: float) -> list[Leftover]:
    """Take it away; what went. Raises as `of_run`, and HarnessError for what can't be taken away."""
    with explained(run.layout.root):
        return leftovers.remove(run, found.leftovers, before)


def of_account(env: Mapping[str, str], home: Path, before: float) -> Found:
    """The states of dead processes, of any age, and source trees that were last used before a time."""
    states = []
    for left in state.dead(_states(env)):
        states.append(Leftover(left.folder, STATE, leftovers.size(left.folder)))
        os.close(left.lock)
    found, notes = trees.find(home, before)
    return Found((*states, *found), tuple(notes))


def remove_of_account(found: Found, env: Mapping[str, str], before: float) -> list[Leftover]:
    """Take it away; what went. Raises HostUnfitError or HarnessError where the sandboxes' files can't be removed."""
    if any(one.kind == STATE for one in found.leftovers):
        status = namespace.enter([sys.executable, "-I", "-m", "harness.sandbox.sweeper"], env)
        if status != EXIT_OK:
            raise HarnessError(f"The states of dead processes could not be removed (exit status {status}).")
    return [one for one in found.leftovers if _gone(one, before)]


def _gone(one: Leftover, before: float) -> bool:
    return not one.path.exists() if one.kind == STATE else trees.remove(one, before)


def _states(env: Mapping[str, str]) -> Path:
    return base.parent(env) / f"hermetic-{fitness.host_uid()}"


def _unseen(run: RunFolder, before: float) -> list[str]:
    """What is to be said of owners that can't be seen; raises HarnessError where one lives, or may live."""
    found = owners(run)
    root = run.layout.root
    if found.live:
        raise HarnessError(
            f"A process works on {root} (its own folder is {found.live[0]}). Try again when it has ended."
        )
    if not found.unknown:
        return []
    age = time.time() - (newest := leftovers.newest(run))
    nodes = ", ".join(found.unknown)
    if newest >= before:
        raise HarnessError(
            f"A process of {nodes} may work on {root}: from here it can't be seen (another node, another container, or "
            f"before a reboot), and the run's last file is {age / MINUTE:.0f} minutes old. Ask on that node, wait, or "
            "give a smaller --older-than if you know that it has ended."
        )
    return [f"whether a process of {nodes} still works on {root} can't be seen from here; its last file is old enough"]
