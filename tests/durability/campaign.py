"""Killing runs as a schedule says, resuming them, and holding what they come to against an undisturbed run."""

import asyncio
import os
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs

from tests.durability.aftermath import Left, Outcome, blob_kinds, left, outcome
from tests.durability.killer import Killer
from tests.durability.schedule import Kill
from tests.integration.conftest import command


@attrs.define
class Table:
    """What was found after the kills of each name."""

    kills: Counter[str] = attrs.field(factory=Counter)
    found: dict[str, Left] = attrs.field(factory=dict)
    folders: int = 0

    def note(self, kill: Kill, found: Left) -> None:
        """Count a kill."""
        self.kills[kill.name] += 1
        self.found[kill.name] = self.found.get(kill.name, Left()) + found

    def __str__(self) -> str:
        head = f"{'killed at':<28}{'kills':>6}{'temporary':>11}{'unnamed':>9}{'unpublished':>13}"
        lines = [
            f"{name:<28}{count:>6}{found.temporary:>11}{found.unnamed:>9}{found.unpublished:>13}"
            for name, count in sorted(self.kills.items())
            for found in [self.found[name]]
        ]
        end = (
            f"{self.kills.total()} kills in {self.folders} folders: no torn file, no wrong blob, nothing left running "
            "or mounted, each task measured once, and all came to what the undisturbed run came to"
        )
        return "\n".join([head, *lines, end])


async def campaign(
    base: Path,
    environment: Mapping[str, str],
    words: Sequence[str],
    tasks: int,
    schedule: Sequence[Sequence[Kill]],
    say: Callable[[str], None] = lambda _: None,
) -> Table:
    """Run ``words`` (without ``--run``), which measures so many tasks, in folders below ``base``, one for each list.

    A kill that is not met, since the run is complete before it comes to it, is the first one of a folder of its own.
    Raises AssertionError for whatever a kill must not do.
    """
    whole = _killer(base / "undisturbed", {}, environment, words, tasks)
    assert not await whole.start()
    expected, blobs = outcome(whole.folder, tasks), blob_kinds(whole.folder)
    table, pending = Table(), deque(map(list, schedule))
    while pending:
        killer = _killer(base / f"R{table.folders}", blobs, environment, words, tasks)
        table.folders += 1
        if rest := await _folder(killer, pending.popleft(), table, say):
            pending.append(rest)
        _compare(outcome(killer.folder, tasks), expected)
        await _collect(environment, base)
        assert _states(environment) == [], "what the killed ones left on the machine is gone"
    return table


def _killer(
    folder: Path, blobs: Mapping[str, str], environment: Mapping[str, str], words: Sequence[str], tasks: int
) -> Killer:
    return Killer([*words, "--run", str(folder)], folder, tasks, blobs, environment, folder.with_suffix(".log"))


async def _folder(killer: Killer, kills: Sequence[Kill], table: Table, say: Callable[[str], None]) -> list[Kill]:
    """Kill one run again and again, then let it end; the kills that were not met."""
    for index, kill in enumerate(kills):
        if not await killer.start(kill):
            assert index or kill.seconds, f"{kill.name}: not met in a new folder"
            return [attrs.evolve(kill, seconds=0.0, count=1), *kills[index + 1 :]]
        found = left(killer.folder)
        table.note(kill, found)
        say(f"{table.kills.total():>4}  {killer.folder.name}  {kill.name}: {found}")
    assert not await killer.start(), "nobody kills the last start"
    return []


def _compare(found: Outcome, expected: Outcome) -> None:
    assert found.content == expected.content
    unequal = [
        key for key in {**found.summary, **expected.summary} if found.summary.get(key) != expected.summary.get(key)
    ]
    assert unequal == [], "the summary is another one"
    assert found.scores == expected.scores, "the scores are others"


async def _collect(environment: Mapping[str, str], home: Path) -> None:
    """The next start that plays something would do it as well."""
    process = await asyncio.create_subprocess_exec(*command("gc", "--delete"), env={**environment, "HOME": str(home)})
    assert await process.wait() == 0


def _states(environment: Mapping[str, str]) -> list[str]:
    folder = Path(environment["HARNESS_STATE_DIR"]) / f"hermetic-{os.getuid()}"
    return sorted(entry.name for entry in folder.iterdir() if entry.name != "bin")
