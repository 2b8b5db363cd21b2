"""Playing a run, with the sandboxes themselves left out."""

from collections.abc import Mapping
from typing import Any, Self

import pytest

from harness.agents.opencode import Outcome
from harness.errors import HostUnfitError, NoSpaceError
from harness.run import play as playing
from harness.run.plan import Item
from harness.run.settings import resolve


class FakeHost:
    """Stands where a real host would be; it makes nothing."""

    cgroups = False
    swept = ()

    def __init__(self, _: object) -> None:
        pass

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


class Ref:
    """An attempt that was or wasn't masked."""

    def __init__(self, *, masked: bool, task: str = "") -> None:
        self.masked = masked
        self.task = task


class FakeRun:
    """Keeps the names of attempts, and what counts."""

    def __init__(self, attempts: Mapping[str, int] | None = None) -> None:
        self.counts = dict(attempts or {})
        self.finished: set[str] = set()
        self.unpublished: set[str] = set()

    def done(self, task: str, _: int) -> object:
        return task if task in self.finished else None

    def attempt_names(self, task: str, _: int) -> list[str]:
        return ["x"] * self.counts.get(task, 0)

    def attempts(self, task: str, _: int) -> list[Ref]:
        return [Ref(masked=task not in self.unpublished, task=task)] * self.counts.get(task, 0)

    def publish_done(self, ref: Ref) -> bool:
        self.finished.add(ref.task)
        return True

    def write_observed(self, *_: object) -> None:
        pass


class FakeBenchmark:
    """Every task is its own name."""

    def task(self, name: str, _: float) -> str:
        return name


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Plays with attempts that come to what the test says: a list of masked or not, or an exception."""
    monkeypatch.setattr(playing, "Host", FakeHost)
    monkeypatch.setattr(playing.runtime, "find", lambda _: None)
    monkeypatch.setattr(playing, "_observed", lambda *_: {})

    async def run(
        run: FakeRun,
        outcomes: Mapping[str, list[bool | Exception]],
        *,
        jobs: int = 1,
        tries: int = 3,
        require_limits: bool = False,
    ) -> tuple[int, list[str]]:
        left = {task: list(found) for task, found in outcomes.items()}

        async def attempt(_host: object, run: FakeRun, _means: object, task: str, _: int) -> tuple[Ref, Outcome]:
            found = left[task].pop(0)
            if isinstance(found, Exception):
                raise found
            run.counts[task] = run.counts.get(task, 0) + 1
            if not found:
                run.finished.add(task)
            return Ref(masked=found), Outcome("upstream-failed" if found else "answered", found, None, "HTTP 500")

        monkeypatch.setattr(playing, "attempt", attempt)
        said: list[str] = []
        given = {"jobs": str(jobs), "max_attempts": str(tries), "require_limits": str(require_limits)}
        settings = resolve(given, {}, {})
        items = [Item(task, 0) for task in outcomes]
        made = await playing.play(run, FakeBenchmark(), None, items, settings, said.append)  # type: ignore[arg-type]
        return made, said

    return run


async def test_a_masked_attempt_is_made_again_up_to_the_limit(play: Any) -> None:
    run = FakeRun()
    made, said = await play(run, {"a": [True, False], "b": [True, True, True]})
    assert made == 5
    assert run.counts == {"a": 2, "b": 3}
    assert said[0].startswith("task a, repeat 0, attempt 1: upstream-failed")
    assert said[0].endswith(": HTTP 500")
    assert said[1].startswith("task a, repeat 0, attempt 2: answered")


async def test_attempts_of_an_earlier_process_count(play: Any) -> None:
    made, said = await play(FakeRun({"a": 2, "b": 3}), {"a": [True], "b": []})
    assert made == 1
    assert said[0].startswith("1 of 2 unmeasured rollouts have had their 3 attempts")
    assert "--max-attempts 6" in said[0]


async def test_what_is_measured_is_not_played_again(play: Any) -> None:
    run = FakeRun()
    run.finished.add("a")
    assert await play(run, {"a": []}) == (0, [])


@pytest.mark.parametrize("jobs", [1, 2])
async def test_a_full_disk_ends_the_run_with_its_own_message(play: Any, jobs: int) -> None:
    with pytest.raises(NoSpaceError, match="the disk is full"):
        await play(FakeRun(), {"a": [NoSpaceError("the disk is full")], "b": [False]}, jobs=jobs)


async def test_a_host_that_cannot_hold_every_limit_is_refused_where_that_is_asked_for(play: Any) -> None:
    run = FakeRun()
    with pytest.raises(HostUnfitError, match="--require-limits"):
        await play(run, {"a": [False]}, require_limits=True)
    assert run.counts == {}


async def test_a_measurement_that_a_killed_process_did_not_publish_counts_and_is_not_played_again(play: Any) -> None:
    run = FakeRun({"a": 1})
    run.unpublished.add("a")
    assert await play(run, {"a": []}) == (0, [])
    assert run.finished == {"a"}
