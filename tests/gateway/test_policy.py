import copy
import pickle

import pytest

from harness.errors import UsageError
from harness.gateway import Secret
from tests.gateway.conftest import KEY, policy


def test_a_secret_shows_in_no_text() -> None:
    secret = Secret(KEY)
    given = policy("http://127.0.0.1/v1")
    for text in (repr(secret), str(secret), f"{secret}", f"{secret!r:>40}", "%s" % secret, repr([secret]), repr(given)):  # noqa: UP031
        assert KEY not in text
    assert secret.reveal() == KEY


@pytest.mark.parametrize("carry", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_secret_is_never_copied_or_pickled(carry) -> None:
    with pytest.raises(TypeError, match="never"):
        carry(Secret(KEY))


@pytest.mark.parametrize("wrong", ["", "with space", "line\nbreak", "ключ"])
def test_a_key_that_is_no_header_value_is_refused_unseen(wrong: str) -> None:
    with pytest.raises(UsageError) as error:
        Secret(wrong)
    assert not wrong or wrong not in str(error.value)


def test_a_key_is_taken_out_of_texts_and_bytes() -> None:
    assert Secret(KEY).redact(f"bad key {KEY}!") == "bad key [key]!"
    blanked = bytearray(f'{{"m": "{KEY}"}}'.encode())
    Secret(KEY).blank(blanked)
    assert blanked == f'{{"m": "{"*" * len(KEY)}"}}'.encode()


def test_a_placeholder_key_chops_no_words_out_of_texts() -> None:
    assert Secret("none").redact("none of these") == "none of these"
    data = bytearray(b"EMPTY")
    Secret("EMPTY").blank(data)
    assert data == b"EMPTY"


def test_the_beginning_of_a_key_is_taken_out_where_the_data_end() -> None:
    data = bytearray(f"{KEY[:12]} and {KEY[:12]}".encode())
    Secret(KEY).blank(data)
    assert data == f"{KEY[:12]} and {'*' * 12}".encode()


@pytest.mark.parametrize(
    "url", ["ftp://h/v1", "https:///v1", "h/v1", "", "https://h/v1?key=1", "https://h/v1#x", "https://h /v1"]
)
def test_a_base_url_of_another_form_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="base URL"):
        policy(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://user:pass-word@h/v1",
        "https://token@h/v1",
        "https://user:pass-word@h:notaport/v1",
        "user:pass-word@h/v1",
        "ftp://user:pass-word@h/v1",
        "https://pass-word/1@h/v1",  # the slash makes the password's beginning the host
        "https://h/v1?key=pass-word",
        "https://h/v1#pass-word",
    ],
)
def test_a_base_url_with_a_password_is_refused_unseen(url: str) -> None:
    with pytest.raises(UsageError) as error:
        policy(url)
    assert "pass-word" not in str(error.value)
    assert "token" not in str(error.value)


def test_the_endpoint_is_below_the_base_url() -> None:
    assert policy("https://h:8000/openai/v1/").endpoint == "https://h:8000/openai/v1/chat/completions"


def test_sampling_cannot_set_what_the_harness_decides() -> None:
    with pytest.raises(UsageError, match="'messages'"):
        policy("https://h/v1", sampling={"temperature": 0.2, "messages": []})


def test_sampling_is_the_policys_own() -> None:
    given = {"temperature": 0.2}
    made = policy("https://h/v1", sampling=given)
    given["temperature"] = 1.0
    assert made.sampling == {"temperature": 0.2}


@pytest.mark.parametrize(("max_output", "context"), [(0, 10), (10, 10), (11, 10), (-1, 10)])
def test_limits_that_leave_no_room_are_refused(max_output: int, context: int) -> None:
    with pytest.raises(UsageError, match="max output"):
        policy("https://h/v1", max_output=max_output, context=context)


def test_a_policy_needs_a_model() -> None:
    with pytest.raises(UsageError, match="model name"):
        policy("https://h/v1", model="")


ECHOED = [
    r"a/b\"c+d-0123456789",
    r"a\/b\"c+d-0123456789",
    r"a/b\"c\u002bd-0123456789",
    r"a\/b\"c\u002Bd-0123456789",
    "a%2Fb%22c%2Bd-0123456789",
]


@pytest.mark.parametrize("echoed", ECHOED)
def test_a_key_is_found_in_the_forms_that_an_endpoint_may_echo_it_in(echoed: str) -> None:
    secret = Secret('a/b"c+d-0123456789')
    said = f'{{"error": "bad key {echoed} given"}}'
    assert "0123456789" not in secret.redact(said)
    blanked = bytearray(said.encode())
    secret.blank(blanked)
    assert b"0123456789" not in blanked
    assert len(blanked) == len(said)
