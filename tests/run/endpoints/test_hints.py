"""What is advised where well-known servers refuse."""

import pytest

from harness.run.endpoints.hints import hint


@pytest.mark.parametrize(
    ("status", "words", "role", "advice"),
    [
        (400, '"auto" tool choice requires --enable-auto-tool-choice', "policy", "--tool-call-parser"),
        (400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.", "policy", "--max-tokens-field"),
        (400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.", "judge", "--judge-max-tokens-field"),
        (400, "temperature does not support 0 with this model", "judge", "--judge-temperature none"),
        (404, "The model `x` does not exist", "judge", "judge_model"),
        (401, "bad key", "policy", "POLICY_API_KEY"),
        (404, "nothing here", "policy", "policy_base_url"),
    ],
)
def test_a_refusal_comes_with_advice(status: int, words: str, role: str, advice: str) -> None:
    assert advice in hint(status, words, role)  # type: ignore[arg-type]


def test_what_is_not_known_gets_none() -> None:
    assert hint(400, "no", "policy") == ""
