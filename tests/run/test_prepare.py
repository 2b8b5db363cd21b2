"""What is left to do of a run, and whom to try before it begins."""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from harness.gateway import Model, Policy
from harness.grading.mode import JUDGED as JUDGED_BY
from harness.grading.prompt import JudgeSettings
from harness.grading.score import Score
from harness.grading.scorer import Scorer, scorer
from harness.run import prepare, scorers
from harness.run.facts import Facts
from harness.run.plan import Item
from harness.run.prepare import Todo, left
from harness.run.settings.resolve import resolve
from harness.store.digests import digest
from harness.store.runfolder import RunFolder

SCORER = digest(b"scorer")
A, B, C = (Item(name, 0) for name in "abc")
JUDGED = Score(reward=1.0, verdict="equivalent")
FAILED = Score(reward=None, mask_sample=True, failure_kind="judge_failed")
ADDRESS = {"policy_base_url": "http://127.0.0.1:9/v1", "policy_model": "m", "judge_base_url": "http://127.0.0.1:9/v1"}


LIMITS: Any = {"model": "m", "sampling": {}, "max_output": 10, "context": 100}
MODEL = Model(**LIMITS)
POLICY = Policy(base_url="http://127.0.0.1:9/v1", api_key=None, **LIMITS)


def todo(run: RunFolder) -> Todo:
    return left(run, [A, B, C], 3, SCORER, lambda _: None)


def test_what_was_not_measured_is_played_while_it_has_attempts(run: RunFolder, keep: Callable[..., Facts]) -> None:
    keep("a", "x")
    for _ in range(3):
        keep("b", kind="upstream-failed", masked=True)
    keep("c", kind="upstream-failed", masked=True)
    found = todo(run)
    assert (list(found.play), list(found.grade), list(found.given_up)) == ([C], [A], [B])


@pytest.mark.parametrize(("score", "asks"), [(JUDGED, False), (FAILED, True), (None, True)])
def test_the_judge_is_needed_for_what_has_no_valid_score(
    run: RunFolder, keep: Callable[..., Facts], score: Score | None, asks: bool
) -> None:
    for item in (A, B, C):
        keep(item.task, "x")
        run.grades.write_score(SCORER, item.task, 0, JUDGED.to_json())
    if score is not None:
        run.grades.write_score(SCORER, "b", 0, score.to_json())
    else:
        run.layout.score(SCORER, "b", 0).unlink()
    assert todo(run) == Todo([], [A, B, C], [], asks)


def test_what_is_to_be_played_will_be_judged(run: RunFolder) -> None:
    assert todo(run) == Todo([A, B, C], [], [], asks_judge=True)


def test_another_scorer_than_that_of_the_scores_is_told(run: RunFolder) -> None:
    def told(now: Scorer) -> list[str]:
        said = list[str]()
        prepare._tell_scorer(run, now.digest, said.append)
        scorers.keep(run, now)
        return said

    one, two = (scorer(JudgeSettings(model=model), JUDGED_BY, ()) for model in ("one", "two"))
    assert told(one) == []
    assert told(two) == []  # nothing was scored yet
    run.grades.write_score(two.digest, "a", 0, JUDGED.to_json())
    assert told(two) == []
    (note,) = told(one)
    assert f"by scorer {two.digest[:12]}; now {one.digest[:12]} scores it" in note


@pytest.mark.parametrize(
    ("given", "play", "asks_judge", "tried"),
    [
        (ADDRESS, True, True, ["policy", "judge"]),
        (ADDRESS, False, True, ["judge"]),
        (ADDRESS, False, False, []),
        ({"demo": "true"}, True, True, []),
        ({**ADDRESS, "demo": "true"}, True, True, ["policy", "judge"]),
        ({"policy": "replay:R"}, True, True, []),
        ({"policy": "replay:R", "judge_base_url": "http://127.0.0.1:9/v1"}, True, True, ["judge"]),
        ({"policy": "replay:R", "demo": "true", "judge_base_url": "http://127.0.0.1:9/v1"}, True, True, ["judge"]),
    ],
)
async def test_only_endpoints_that_are_used_and_not_scripted_are_tried(
    monkeypatch: pytest.MonkeyPatch, given: Mapping[str, str], play: bool, asks_judge: bool, tried: list[str]
) -> None:
    found: list[str] = []

    async def policy(*_: object) -> None:
        found.append("policy")

    async def judge(*_: object) -> None:
        found.append("judge")

    monkeypatch.setattr(prepare.preflight, "policy", policy)
    monkeypatch.setattr(prepare.preflight, "judge", judge)
    replay, judged = "policy" in given, "judge_base_url" in given or "demo" in given
    means: Any = SimpleNamespace(policy=MODEL if replay else POLICY, gateway=None)
    ends: Any = SimpleNamespace(judge=object() if judged else None)
    wanted = Todo([A] if play else [], [], [], asks_judge)
    nothing: Any = None
    await prepare._preflight(wanted, means, nothing, resolve(given, {}, {}), ends, lambda _: None)
    assert found == tried
