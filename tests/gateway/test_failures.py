import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.failures import WORDS_MAX, of_error, of_response, retry_after

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


def error(message: str, **fields: object) -> bytes:
    return json.dumps({"error": {"message": message, **fields}}).encode()


OVERFLOWS = [
    # vLLM
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    "This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens.",
    "'max_tokens' is too large: 5000. This model's maximum context length is 8192 tokens and your request has 6000 ...",
    "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that ...",
    "You passed 9000 input tokens and requested 1000. However, the model's context length is only 8192 tokens, ...",
    "Please reduce the length of the messages or completion.",
    # SGLang
    "The input (10000 tokens) is longer than the model's context length (8192 tokens).",
    "Requested token count exceeds the model's maximum context length of 8192 tokens.",
    # llama.cpp, Anthropic, Gemini and others
    "the request exceeds the available context size, try increasing it",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Your input exceeds the context window of this model.",
    "Input length (9000 tokens) exceeds the maximum allowed length (8192) of the context length",
]


@pytest.mark.parametrize("words", OVERFLOWS)
def test_an_overflow_is_known_by_its_words(words: str) -> None:
    failure = of_response(400, error(words))
    assert (failure.kind, failure.again, failure.words) == ("overflow", False, words)


def test_an_overflow_is_known_by_openais_code() -> None:
    assert of_response(400, error("Too long.", code="context_length_exceeded")).kind == "overflow"


def test_an_overflow_that_comes_as_a_500_is_not_tried_again() -> None:
    assert of_response(500, error("the request exceeds the available context size")).kind == "overflow"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (413, ""),
        (400, "At most 1 image(s) may be provided in one request."),
        (400, "At most 4 image(s) may be provided in one prompt."),
        (400, "Too many images in request."),
        (400, "Image size exceeds the limit of 20 MB: image too large"),
        (422, "Request entity too large"),
    ],
)
def test_too_much_is_no_overflow(status: int, words: str) -> None:
    failure = of_response(status, error(words))
    assert (failure.kind, failure.again) == ("too-large", False)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "refused"),
        (401, "refused"),
        (402, "refused"),
        (403, "refused"),
        (404, "refused"),
        (422, "refused"),
        (301, "refused"),
        (307, "refused"),
        (408, "overloaded"),
        (429, "overloaded"),
        (502, "overloaded"),
        (503, "overloaded"),
        (504, "overloaded"),
        (529, "overloaded"),
        (500, "broken"),
        (501, "broken"),
        (204, "broken"),
    ],
)
def test_what_another_try_can_help(status: int, kind: str) -> None:
    failure = of_response(status, error("Some words."))
    assert failure.kind == kind
    assert failure.again == (kind != "refused")
    assert failure.status == status


def test_a_quota_that_is_used_up_is_no_overload() -> None:
    assert of_response(429, error("You exceeded your quota.", code="insufficient_quota")).kind == "refused"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "a"}}', "a"),
        (b'{"error": "b"}', "b"),
        (b'{"object": "error", "message": "c", "code": 400}', "c"),
        (b'{"detail": "d"}', "d"),
        (b'{"detail": [{"msg": "e"}]}', '[{"msg": "e"}]'),
        (b"<html>f</html>", "<html>f</html>"),
        (b"\xff", "\ufffd"),
        (b"", ""),
    ],
)
def test_the_words_are_found_wherever_they_stand(body: bytes, words: str) -> None:
    assert of_response(400, body).words == words


def test_the_words_are_kept_short() -> None:
    assert len(of_response(400, b"x" * 10_000).words) == WORDS_MAX


def test_an_error_within_a_stream_counts_as_its_code_says() -> None:
    assert of_error('{"message": "bad image", "code": 400}').kind == "refused"
    assert of_error('{"message": "CUDA error", "code": 500}').kind == "broken"
    assert of_error('{"message": "engine dead"}').kind == "broken"
    assert of_error('"overloaded"').kind == "broken"
    assert of_error(f'{{"message": "{OVERFLOWS[0]}"}}').kind == "overflow"


@given(st.integers(100, 599), st.binary(max_size=100))
def test_any_response_can_be_judged(status: int, body: bytes) -> None:
    assert of_response(status, body).status == status


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("5", 5),
        (" 2.5 ", 2.5),
        ("-1", None),
        ("soon", None),
        ("9" * 100, None),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0),
        ("Thu, 01 Jan 2026 12:00:30", None),
        ("Thu, 99 Jan 2026 12:00:30 GMT", None),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, NOW) == seconds


@given(st.text())
def test_any_retry_after_can_be_read(value: str) -> None:
    assert (retry_after(value, NOW) or 0) >= 0


@pytest.mark.parametrize("depth", [10, 900, 1000, 5000, 100_000])
def test_an_error_may_be_nested_as_deep_as_it_likes(depth: int) -> None:
    said = '{"error": {"message": ' + "[" * depth + "]" * depth + "}}"
    assert of_response(500, said.encode()).kind == "broken"
    assert of_error(said).kind == "broken"
