from typing import Any

import pytest

from harness.errors import UsageError
from harness.gateway import Backoff, GatewaySettings


def test_a_pause_grows_up_to_its_limit() -> None:
    backoff = Backoff(first=1, factor=3, most=20)
    assert [backoff.delay(tries) for tries in (1, 2, 3, 4, 5)] == [1, 3, 9, 20, 20]
    assert backoff.delay(100_000) == 20


def test_a_pause_is_as_long_as_the_endpoint_asks_but_no_longer_than_the_limit() -> None:
    backoff = Backoff(first=1, factor=2, most=20)
    assert backoff.delay(1, asked=7.5) == 7.5
    assert backoff.delay(1, asked=0) == 1
    assert backoff.delay(1, asked=86_400) == 20


@pytest.mark.parametrize(
    "wrong",
    [
        {"alias": ""},
        {"alias": "a b"},
        {"alias": "mistral-large"},
        {"alias": "Devstral"},
        {"date": "2026-01-01"},
        {"date": "Thu Jan 1 2026"},
        {"attempts": 0},
        {"stall": -1.0},
        {"max_calls": 0},
        {"heartbeat": float("nan")},
    ],
)
def test_a_wrong_setting_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        GatewaySettings(**wrong)


def test_budgets_are_off_by_default() -> None:
    assert GatewaySettings().max_calls is None
    assert GatewaySettings().max_tokens is None
