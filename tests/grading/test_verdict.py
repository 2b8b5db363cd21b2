"""The judge's own reply is read strictly; everything else is unparseable, never a verdict."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from harness.errors import JudgeUnparseableError
from harness.grading.verdict import Verdict, parse, reply_text


@pytest.mark.parametrize("word", ["equivalent", "different", "unsure"])
@pytest.mark.parametrize("form", ["{}", "  {}\n", "```json\n{}\n```", "```\n{}\n```\n"])
def test_a_verdict_is_read(word: str, form: str) -> None:
    reply = json.dumps({"verdict": word, "reason": "the same"})
    assert parse(form.replace("{}", reply)) == Verdict(word, "the same")  # type: ignore[arg-type]


GOOD = '{"verdict": "equivalent", "reason": "r"}'


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "equivalent",
        '"equivalent"',
        "[]",
        f"[{GOOD}]",
        f"Verdict: {GOOD}",
        f"{GOOD} So it is.",
        f"{GOOD}\n{GOOD}",
        f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```",
        f"```json\n{GOOD}",
        f"```python\n{GOOD}\n```",
        '{"verdict": "equivalent"}',
        '{"reason": "r"}',
        '{"verdict": "Equivalent", "reason": "r"}',
        '{"verdict": "equivalent ", "reason": "r"}',
        '{"verdict": "correct", "reason": "r"}',
        '{"verdict": ["equivalent"], "reason": "r"}',
        '{"verdict": true, "reason": "r"}',
        '{"verdict": "equivalent", "reason": null}',
        '{"verdict": "equivalent", "reason": "r", "confidence": 1}',
        '{"verdict": "different", "verdict": "equivalent", "reason": "r"}',
        "{'verdict': 'equivalent', 'reason': 'r'}",
        '{"verdict": "equivalent", "reason": "r"',
        '{"verdict": "equivalent", "reason": "\ud800"}',
        '{"answer": ' + GOOD + "}",
    ],
)
def test_anything_else_is_unparseable(reply: str) -> None:
    with pytest.raises(JudgeUnparseableError):
        parse(reply)


def test_the_text_of_the_one_choice_is_the_reply(make_completion: Callable[..., str]) -> None:
    assert reply_text(make_completion("hello")) == "hello"
    assert reply_text(make_completion("hello", finish_reason=None)) == "hello"


@pytest.mark.parametrize(
    "change",
    [
        {"finish_reason": "length"},
        {"finish_reason": "content_filter"},
        {"message": {"role": "assistant", "content": None, "refusal": "no"}},
        {"message": {"content": ["equivalent"]}},
        {"message": None},
    ],
)
def test_a_choice_that_is_no_reply_is_unparseable(make_completion: Callable[..., str], change: dict[str, Any]) -> None:
    with pytest.raises(JudgeUnparseableError):
        reply_text(make_completion(GOOD, **change))


@pytest.mark.parametrize("body", ["", "<html>", "[]", "{}", '{"choices": []}', "[" * 100_000])
def test_an_answer_that_is_no_completion_is_unparseable(body: str) -> None:
    with pytest.raises(JudgeUnparseableError):
        reply_text(body)


def test_two_choices_are_unparseable(make_completion: Callable[..., str]) -> None:
    value = json.loads(make_completion(GOOD))
    value["choices"] *= 2
    with pytest.raises(JudgeUnparseableError, match="one choice"):
        reply_text(json.dumps(value))
