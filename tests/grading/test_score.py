"""Scores: from the judge's kept calls, the same each time."""

from collections.abc import Callable
from typing import Any

import pytest

from harness.errors import CanonicalError
from harness.grading.score import REASON_MAX, JudgeRef, Score, judged, unanswered
from harness.store.canonical import dumps, loads_strict
from harness.store.digests import digest

NAME = digest(b"request")
Says = Callable[[str], str]


def score(*calls: dict[str, Any], extracted: str | None = "(10,5)") -> Score:
    return judged(extracted, "10,5", calls, model="judge", request=NAME)


@pytest.mark.parametrize(("word", "reward"), [("equivalent", 1.0), ("different", 0.0), ("unsure", 0.0)])
def test_a_verdict_is_a_reward(make_verdict: Says, word: str, reward: float) -> None:
    assert score({"body": make_verdict(word)}) == Score(
        reward=reward,
        verdict=word,
        reason="as told",
        extracted_answer="(10,5)",
        string_match=True,
        judge=JudgeRef(model="judge", request=NAME, number=0),
    )


def test_the_string_match_decides_nothing(make_verdict: Says) -> None:
    found = score({"body": make_verdict("equivalent")}, extracted="5,10")
    assert (found.reward, found.string_match) == (1.0, False)
    assert score({"body": make_verdict("different")}).string_match is True


def test_a_failed_judge_is_no_number() -> None:
    found = score({"body": None, "failure": "HTTP 503"}, {"body": None, "failure": "x" * 5000})
    assert (found.reward, found.mask_sample, found.failure_kind) == (None, True, "judge_failed")
    assert found.failure_reason == "x" * REASON_MAX
    assert found.judge == JudgeRef(model="judge", request=NAME, number=1)


def test_an_unparseable_reply_is_no_number(make_completion: Says) -> None:
    found = score({"body": make_completion("It is equivalent.")})
    assert (found.reward, found.mask_sample, found.failure_kind) == (None, True, "judge_unparseable")
    assert found.verdict is None


def test_no_call_is_no_number() -> None:
    found = score()
    assert (found.reward, found.failure_kind) == (None, "judge_failed")
    assert found.judge == JudgeRef(model="judge", request=NAME, number=None)


def test_the_first_valid_verdict_counts(make_verdict: Says) -> None:
    calls = [
        {"body": "{}"},
        {"failure": "f"},
        {"body": make_verdict("different")},
        {"body": make_verdict("equivalent")},
    ]
    found = score(*calls)
    assert (found.reward, found.mask_sample) == (0.0, False)
    assert found.judge == JudgeRef(model="judge", request=NAME, number=2)


def test_no_answer_is_nought_without_a_judge() -> None:
    found = unanswered("timeout")
    assert (found.reward, found.mask_sample, found.judge) == (0.0, False, None)
    assert found.reason == "There is no final answer: timeout."


def test_scores_come_back(make_verdict: Says) -> None:
    for found in (score({"body": make_verdict("unsure")}), score(), score(extracted=None), unanswered("died")):
        kept: Any = loads_strict(dumps(found.to_json()), canonical=True)
        assert Score.from_json(kept) == found


@pytest.mark.parametrize("change", [{"format": 2}, {"more": 1}, {"reward": "1"}, {"judge": {}}, {"mask_sample": None}])
def test_another_score_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(CanonicalError):
        Score.from_json({**unanswered("x").to_json(), **change})
