"""Scores: from the judge's kept calls, the same each time."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from harness.errors import CanonicalError
from harness.grading.prompt import EXTRACTED_MAX
from harness.grading.score import REASON_MAX, JudgeRef, Score, judged, unanswered
from harness.store.canonical import dumps, loads_strict
from harness.store.digests import digest

NAME = digest(b"request")
Says = Callable[[str], str]


def score(*calls: dict[str, Any], extracted: str | None = "(10,5)") -> Score:
    return judged(extracted, "10,5", dict(enumerate(calls)), model="judge", request=NAME)


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


def test_what_an_endpoint_says_about_its_reply_decides_nothing(make_verdict: Says) -> None:
    body = json.loads(make_verdict("equivalent"))
    other = {**body, "id": "other", "created": 99, "model": "another", "usage": {"total_tokens": 7}}
    first, second = (
        {"body": json.dumps(value), "observed": {"started_ns": str(len(value))}} for value in (body, other)
    )
    assert score(first) == score(second)


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


FIELDS = {
    "reward",
    "verdict",
    "reason",
    "extracted_answer",
    "string_match",
    "mask_sample",
    "failure_kind",
    "failure_reason",
    "judge",
}


def test_each_score_has_all_fields(make_verdict: Says) -> None:
    for found in (
        score({"body": make_verdict("unsure")}),
        score(),
        unanswered("died"),
        unanswered("x", "agent_timeout"),
    ):
        assert found.to_json().keys() == FIELDS | {"format"}


def test_an_answer_that_was_cut_is_kept_as_it_was_judged(make_verdict: Says) -> None:
    gold = "a" * EXTRACTED_MAX
    found = judged(gold + "b" * 9, gold, {0: {"body": make_verdict("equivalent")}}, model="judge", request=NAME)
    assert (found.reward, found.extracted_answer, found.string_match) == (1.0, gold, False)
    assert found.reason == "as told The extracted answer was cut: the judge sees the first 2000 of its 2009 characters."
    whole = judged(gold, gold, {0: {"body": make_verdict("equivalent")}}, model="judge", request=NAME)
    assert (whole.string_match, whole.reason) == (True, "as told")


def test_a_reason_is_short(make_completion: Says) -> None:
    reply = json.dumps({"verdict": "different", "reason": "x" * 5000})
    assert score({"body": make_completion(reply)}).reason == "x" * REASON_MAX


def test_no_answer_is_a_failure_where_one_is_known() -> None:
    found = unanswered("task-timeout", "agent_timeout")
    assert (found.reward, found.mask_sample, found.failure_kind) == (0.0, False, "agent_timeout")
    assert found.failure_reason == found.reason == "There is no final answer: task-timeout."


def test_no_answer_is_nought_without_a_judge() -> None:
    found = unanswered("timeout")
    assert (found.reward, found.mask_sample, found.judge) == (0.0, False, None)
    assert (found.failure_kind, found.failure_reason) == (None, None)
    assert found.reason == "There is no final answer: timeout."


def test_scores_come_back(make_verdict: Says) -> None:
    for found in (score({"body": make_verdict("unsure")}), score(), score(extracted=None), unanswered("died")):
        kept: Any = loads_strict(dumps(found.to_json()), canonical=True)
        assert Score.from_json(kept) == found


@pytest.mark.parametrize("change", [{"format": 2}, {"more": 1}, {"reward": "1"}, {"judge": {}}, {"mask_sample": None}])
def test_another_score_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(CanonicalError):
        Score.from_json({**unanswered("x").to_json(), **change})
