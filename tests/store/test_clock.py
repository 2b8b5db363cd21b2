"""The time for records."""

import time

import pytest

from harness.store import clock


def test_a_clock_that_is_set_back_ends_nothing_before_it_began(monkeypatch: pytest.MonkeyPatch) -> None:
    started = clock.now_ns()
    assert abs(started - time.time_ns()) < 60_000_000_000
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    assert 0 <= clock.now_ns() - started < 60_000_000_000
