"""Plays one run of the real command line against a script, and looks at all that it leaves."""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.store.record import AttemptRecord
from harness.store.runfolder import RunFolder
from harness.store.verify import verify
from tests.outcomes import upstream

#: The command line's own words, in this very environment.
COMMAND = ("-I", "-m", "harness.cli")
MASKED = None


@attrs.frozen
class Row:
    """A scenario and what it must come to: ``reward`` is None where it is masked, and then tried again.

    ``requests`` are those that each turn of the model's took, in all attempts together; None where they are not told
    beforehand. Of these ``beside`` are the harness's own, which it asks to judge a failure and which stand in no
    record. ``within`` bounds one attempt, in seconds.
    """

    name: str
    script: upstream.Script
    outcome: str
    reward: float | None
    requests: tuple[int, ...] | None = None
    beside: int = 0
    within: float = 70


@attrs.frozen
class Played:
    """What a run came to. ``left`` are processes of the run that outlived it, ``kept`` what it left of its state."""

    rows: Mapping[str, Row]
    attempts: int
    status: int
    summary: Mapping[str, Any]
    said: str
    run: RunFolder
    asked: upstream.Asked
    left: Sequence[str]
    kept: Sequence[str]

    def task(self, name: str) -> str:
        """The task that a scenario was played with."""
        return next(task for task, row in self.rows.items() if row.name == name)

    def records(self, name: str) -> list[AttemptRecord]:
        """All attempts at a scenario, in order."""
        task = self.task(name)
        found = [self.run.read_attempt(task, 0, attempt) for attempt in self.run.attempt_names(task, 0)]
        return sorted(found, key=lambda record: record.observed.started_ns)

    def check(self, name: str) -> None:
        """That a scenario came to what its row says, within its bound, and is in the record as it was."""
        task = self.task(name)
        row, records = self.rows[task], self.records(name)
        reasons = [record.observed.reason for record in records]
        found = [record.content.outcome.kind for record in records]
        assert found == [row.outcome] * (self.attempts if row.reward is None else 1), reasons
        assert [record.content.outcome.masked for record in records] == [row.reward is None] * len(records)
        seconds = [(record.observed.ended_ns - record.observed.started_ns) / 1e9 for record in records]
        print(f"{name}: {row.outcome} {row.reward}, {', '.join(f'{one:.1f} s' for one in seconds)}")
        assert max(seconds) < row.within
        asked = self.asked.turns(task)
        if row.requests is not None:
            assert asked == row.requests, reasons
            # A call whose first try was answered has none in its record.
            tries = sum(len(call.tries) or 1 for record in records for call in record.observed.calls)
            assert tries == sum(asked) - row.beside
        done = self.run.done(task, 0)
        score = self.run.grades.score(self.summary["scorer"], task, 0) or {}
        assert (done is None, score.get("reward")) == (row.reward is None, row.reward)

    def check_whole(self) -> None:
        """That the run ended as it must, its folder is sound and nothing of it is left."""
        masked = sum(row.reward is None for row in self.rows.values())
        assert self.status == (3 if masked else 0), self.said
        assert (self.summary["planned"], self.summary["masked"]) == (len(self.rows), masked)
        assert verify(self.run) == []
        assert (self.left, self.kept) == ([], [])


def ids(rows: Sequence[Row]) -> list[str]:
    """Names for pytest's parameters."""
    return [row.name for row in rows]


@contextmanager
def play(
    rows: Sequence[Row],
    *settings: str,
    attempts: int = 1,
    jobs: int = 2,
    command: Sequence[str] = COMMAND,
    url: str | None = None,
) -> Iterator[Played]:
    """Plays the rows as tasks 1, 2, ... of one run; masked ones are tried so many times. ``url`` is another endpoint
    than the scripted one. More jobs than processors make sense for rows that only wait."""
    if not (os.environ.get("HARNESS_RUNTIME") and os.environ.get("HARNESS_ROOTFS") and os.environ.get("HARNESS_PINS")):
        pytest.skip("HARNESS_RUNTIME, HARNESS_ROOTFS and HARNESS_PINS are not set: `nix run .#tests` sets them")
    with tempfile.TemporaryDirectory(prefix="ho-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o711)
        words = ["--max-attempts", str(attempts), "--jobs", str(jobs), *settings]
        yield asyncio.run(_play(rows, words, attempts, command, url, folder))


async def _play(
    rows: Sequence[Row], settings: list[str], attempts: int, command: Sequence[str], url: str | None, folder: Path
) -> Played:
    tasks = {str(number): row for number, row in enumerate(rows, 1)}
    state, run = folder / "s", folder / "R"
    state.mkdir()
    state.chmod(0o711)
    async with upstream.serve({task: row.script for task, row in tasks.items()}) as (scripted, asked):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *command, "eval", "babyvision", "--demo", "--demo-puzzles", str(max(12, len(rows)))),
            *("--tasks", ",".join(tasks)),
            *("--run", str(run), "--json", "--no-preflight", *settings),
            *("--policy-base-url", url or scripted, "--policy-model", upstream.MODEL, "--context", "65536"),
            env={**environment(), "HARNESS_STATE_DIR": str(state)},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        seen: set[tuple[int, str]] = set()
        watcher = asyncio.create_task(_watch(process.pid, seen))
        try:
            out, err = await process.communicate()
        finally:
            watcher.cancel()
            if process.returncode is None:
                process.kill()
    said = err.decode(errors="replace")
    assert out.strip(), said
    assert len(seen) > 5, "the run has processes of its own, and was watched"
    assert process.returncode is not None
    return Played(
        rows=tasks,
        attempts=attempts,
        status=process.returncode,
        summary=json.loads(out),
        said=said,
        run=RunFolder.open(run),
        asked=asked,
        left=await _left(seen),
        kept=[str(path) for path in state.glob("*/*") if path.name != "bin"],
    )


def environment() -> dict[str, str]:
    """This process's, without endpoints and keys of the person who tests."""
    named = ("POLICY_", "JUDGE_", "OPENAI_")
    return {name: value for name, value in os.environ.items() if not name.startswith(named)}


async def _watch(pid: int, seen: set[tuple[int, str]]) -> None:
    """Notes every process of the run, by id and time of its start."""
    while True:
        seen |= await asyncio.to_thread(_below, pid)
        await asyncio.sleep(1)


async def _left(seen: set[tuple[int, str]]) -> list[str]:
    """Those of the processes that still run two seconds later."""
    for _ in range(40):
        if not any(_alive(pid) == began for pid, began in seen):
            return []
        await asyncio.sleep(0.05)
    return [_named(pid) for pid, began in seen if _alive(pid) == began]


def _named(pid: int) -> str:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        command = "gone meanwhile"
    return f"{pid}: {command}"


def _below(outer: int) -> set[tuple[int, str]]:
    """A process and all that descend from it: ids and times of their starts, in the kernel's own counting."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    stats = {pid: stat for pid in pids if (stat := _stat(pid))}
    found = {outer}
    while grown := {pid for pid, stat in stats.items() if int(stat[1]) in found} - found:
        found |= grown
    return {(pid, stats[pid][19]) for pid in found if pid in stats}


def _alive(pid: int) -> str | None:
    """When a process was started; None if it is gone or a zombie."""
    stat = _stat(pid)
    return stat[19] if stat and stat[0] not in "ZX" else None


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat from the state on."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
