"""Playing a run, with the sandboxes themselves left out."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import attrs
import pytest

from harness.errors import HostUnfitError, NoSpaceError
from harness.gateway import Backoff, GatewaySettings
from harness.run import play as playing
from harness.run.plan import Item
from harness.run.progress import Tally
from harness.run.proving import Proof
from harness.run.queue import Queue
from harness.run.settings.resolve import resolve
from harness.sandbox.selftest import Vector
from harness.sandbox.values import Limits
from harness.store.digests import digest

NO_PAUSES = GatewaySettings(backoff=Backoff(first=0.001, factor=1))


class FakeHost:
    """Stands where a real host would be; it makes nothing."""

    swept = ()

    def __init__(self, _: object, *, required: Limits | None, say: object) -> None:
        self._required = required

    async def __aenter__(self) -> Self:
        if self._required is not None:
            raise HostUnfitError(f"{self._required.memory} bytes can't be held")
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

    identity = "identity"

    def __init__(self, attempts: Mapping[str, int] | None = None) -> None:
        self.counts = dict(attempts or {})
        self.finished: set[str] = set()
        self.unpublished: set[str] = set()
        self.observed: object = None

    def done(self, task: str, _: int) -> object:
        return task if task in self.finished else None

    def attempt_names(self, task: str, _: int) -> list[str]:
        return ["x"] * self.counts.get(task, 0)

    def attempts(self, task: str, _: int) -> list[Ref]:
        return [Ref(masked=task not in self.unpublished, task=task)] * self.counts.get(task, 0)

    def publish_done(self, ref: Ref) -> bool:
        self.finished.add(ref.task)
        return True

    def write_observed(self, _host: str, _started: int, value: object) -> None:
        self.observed = value


class FakeBenchmark:
    """Every task is its own name."""

    def task(self, name: str, _: float) -> str:
        return name


@attrs.frozen
class Facts:
    """Of an attempt."""

    kind: str


@attrs.frozen
class Attempted:
    """An attempt's end."""

    ref: Ref
    facts: Facts
    reason: str
    counts: bool


@attrs.define
class Played:
    """What playing came to."""

    made: int
    said: list[str]
    order: list[str]
    measured: list[tuple[str, bool]]
    tally: Tally


@attrs.frozen
class FakeAgent:
    """Of its settings what its sandbox may use."""

    limits: Limits = attrs.field(factory=lambda: Limits(memory=12345))


@attrs.frozen
class FakeMeans:
    """What playing itself needs of them: how long pauses are, and what a host must hold."""

    gateway: GatewaySettings
    agent: FakeAgent = attrs.field(factory=FakeAgent)
    policy: None = None


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Plays with attempts that come to what the test says: a list of masked or not, or an exception."""
    monkeypatch.setattr(playing, "Host", FakeHost)
    monkeypatch.setattr(playing.runtime, "find", lambda _: None)
    monkeypatch.setattr(playing.Player, "_observed", lambda _self, _started, _host, proof: proof)

    async def run(
        run: FakeRun,
        outcomes: Mapping[str, list[bool | Exception]],
        *,
        jobs: int = 1,
        tries: int = 3,
        require_limits: bool = False,
        close_after: int | None = None,
        lost: bool = False,
        others: str | None = None,
        proof: Sequence[Vector] = (),
    ) -> Played:
        async def prove(_host: object, _model: object) -> Proof:
            return Proof(tuple(proof), 1)

        monkeypatch.setattr(playing.proving, "prove", prove)
        left = {task: list(found) for task, found in outcomes.items()}
        found = Played(0, [], [], [], Tally(len(outcomes)))
        items = [Item(task, 0) for task in outcomes]
        queue = Queue(playing.playable(run, playing.missing(run, items), tries, found.said.append))  # type: ignore[arg-type]

        async def attempt(_host: object, run: FakeRun, _means: object, task: str, _: int, _seen: object) -> Attempted:
            found.order.append(task)
            if len(found.order) == close_after:
                queue.close()
            if others is not None:
                run.finished.add(others)
            masked = left[task].pop(0)
            if isinstance(masked, Exception):
                raise masked
            run.counts[task] = run.counts.get(task, 0) + 1
            if not masked:
                run.finished.add(task)
            kind = "upstream-failed" if masked else "answered"
            return Attempted(Ref(masked=masked), Facts(kind), "HTTP 500", counts=not masked and not lost)

        monkeypatch.setattr(playing, "attempt", attempt)
        given = {"jobs": str(jobs), "max_attempts": str(tries), "require_limits": str(require_limits)}
        player = playing.Player(
            run=run,  # type: ignore[arg-type]
            benchmark=FakeBenchmark(),  # type: ignore[arg-type]
            means=FakeMeans(NO_PAUSES),  # type: ignore[arg-type]
            settings=resolve(given, {}, {}),
            queue=queue,
            tally=found.tally,
            measured=lambda item, facts: found.measured.append((item.task, facts is not None)),
            say=found.said.append,
            scorer=digest(b"scorer"),
            owner={},
            answering={},
        )
        await player.play()
        found.made = player.made
        return found

    return run


async def test_a_masked_attempt_is_made_again_up_to_the_limit_after_all_others(play: Any) -> None:
    run = FakeRun()
    found = await play(run, {"a": [True, False], "b": [True, True, True]})
    assert found.made == 5
    assert found.order == ["a", "b", "a", "b", "b"]
    assert run.counts == {"a": 2, "b": 3}
    assert found.said[0].startswith("task a, repeat 0, attempt 1: upstream-failed")
    assert found.said[0].endswith(": HTTP 500")
    assert found.said[2].startswith("task a, repeat 0, attempt 2: answered")
    assert found.measured == [("a", True)]
    assert (found.tally.masked, found.tally.running) == (1, {})


async def test_attempts_of_an_earlier_process_count(play: Any) -> None:
    found = await play(FakeRun({"a": 2, "b": 3}), {"a": [True], "b": []})
    assert found.made == 1
    assert found.said[0].startswith("1 of 2 unmeasured rollouts have had their 3 attempts")
    assert "--max-attempts 6" in found.said[0]


async def test_what_is_measured_is_not_played_again(play: Any) -> None:
    run = FakeRun()
    run.finished.add("a")
    assert (await play(run, {"a": [], "b": [False]})).order == ["b"]


async def test_what_another_process_measures_meanwhile_is_graded_and_not_played(play: Any) -> None:
    found = await play(FakeRun(), {"a": [False], "b": [], "c": [False]}, others="b")
    assert found.order == ["a", "c"]
    assert found.made == 2
    assert found.measured == [("a", True), ("b", False), ("c", True)]


async def test_a_closed_queue_lets_what_runs_end_and_starts_nothing(play: Any) -> None:
    run = FakeRun()
    found = await play(run, {"a": [False], "b": [False]}, close_after=1)
    assert (found.order, run.finished) == (["a"], {"a"})


async def test_what_failed_is_not_tried_again_after_the_queue_was_closed(play: Any) -> None:
    found = await play(FakeRun(), {"a": [True, False]}, close_after=1)
    assert found.order == ["a"]
    assert (found.tally.masked, found.tally.snapshot(0).left) == (0, 1)


async def test_the_attempt_of_another_process_that_came_first_is_the_one_that_is_graded(play: Any) -> None:
    assert (await play(FakeRun(), {"a": [False]}, lost=True)).measured == [("a", False)]


@pytest.mark.parametrize("jobs", [1, 2])
async def test_a_full_disk_ends_the_run_with_its_own_message(play: Any, jobs: int) -> None:
    with pytest.raises(NoSpaceError, match="the disk is full"):
        await play(FakeRun(), {"a": [NoSpaceError("the disk is full")], "b": [False]}, jobs=jobs)


async def test_a_host_that_cannot_hold_every_limit_is_refused_where_that_is_asked_for(play: Any) -> None:
    run = FakeRun()
    with pytest.raises(HostUnfitError, match="12345 bytes can't be held"):
        await play(run, {"a": [False]}, require_limits=True)
    assert run.counts == {}


async def test_a_sandbox_that_does_not_hold_ends_the_run_before_its_first_task(play: Any) -> None:
    """It is named, and what was seen is kept."""
    run = FakeRun()
    proof = (
        Vector("chroot", "mount, pivot, chroot", "broken", "chroot gave 0"),
        Vector("perf", "kernel", "not supported here", "ENOSYS"),
        Vector("memory", "exhaustion", "held by the watchdog", ""),
    )
    with pytest.raises(
        HostUnfitError, match=r"does not hold on this host: chroot \(mount, pivot, chroot\): chroot gave 0\."
    ):
        await play(run, {"a": [False]}, proof=proof)
    assert run.counts == {}
    assert run.observed == Proof(proof, 1)


async def test_a_sandbox_that_holds_as_far_as_it_can_is_played_in(play: Any) -> None:
    proof = (Vector("perf", "kernel", "not supported here", ""), Vector("memory", "", "held by the watchdog", ""))
    assert (await play(FakeRun(), {"a": [False]}, proof=proof)).order == ["a"]


def test_a_measurement_that_a_killed_process_did_not_publish_counts_and_is_not_played_again() -> None:
    run = FakeRun({"a": 1})
    run.unpublished.add("a")
    assert playing.missing(run, [Item("a", 0)]) == []  # type: ignore[arg-type]
    assert run.finished == {"a"}


@pytest.mark.parametrize(("kind", "pauses"), [("upstream-failed", [32.0, 60.0]), ("sandbox-failed", [0.0, 0.0])])
def test_an_endpoint_that_failed_is_left_in_peace_for_longer_each_time(kind: str, pauses: list[float]) -> None:
    player = playing.Player(
        run=None,  # type: ignore[arg-type]
        benchmark=None,  # type: ignore[arg-type]
        means=FakeMeans(GatewaySettings()),  # type: ignore[arg-type]
        settings=resolve({}, {}, {}),
        queue=None,  # type: ignore[arg-type]
        tally=Tally(1),
        measured=lambda *_: None,
        say=print,
        scorer=digest(b"scorer"),
        owner={},
        answering={},
    )
    done: Any = Attempted(Ref(masked=True), Facts(kind), "", counts=False)
    assert [player._pause(done, number) for number in (1, 2)] == pauses
