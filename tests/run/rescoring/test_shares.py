"""Work that is shared out: the same as if it was done by one."""

import os
from collections.abc import Sequence

import pytest

from harness.errors import HarnessError, StoreCorruptError
from harness.run.rescoring import shares
from harness.run.rescoring.shares import shared
from tests.sandbox.conftest import children


@pytest.fixture(autouse=True)
def _three_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})


def squares(items: Sequence[int]) -> list[tuple[int, int]]:
    return [(item * item, os.getpid()) for item in items]


def test_what_comes_back_is_in_order_and_from_several_processes() -> None:
    found = shared(squares, range(1000))
    assert [square for square, _ in found] == [number * number for number in range(1000)]
    pids = [pid for _, pid in found]
    assert len(set(pids)) == 3
    assert pids[0] == os.getpid()


def test_a_few_are_done_by_the_caller() -> None:
    assert {pid for _, pid in shared(squares, range(shares.FEW - 1))} == {os.getpid()}


@pytest.mark.parametrize("bad", [0, 999])
def test_what_a_part_raises_is_raised(bad: int) -> None:
    def work(items: Sequence[int]) -> list[int]:
        if bad in items:
            raise StoreCorruptError("it is damaged")
        return list(items)

    with pytest.raises(StoreCorruptError, match="it is damaged"):
        shared(work, range(1000))


def test_a_process_that_fails_or_is_killed_is_no_result() -> None:
    def fails(items: Sequence[int]) -> list[int]:
        return [1 // (item - 999) for item in items]

    def is_killed(items: Sequence[int]) -> list[int]:
        if 999 in items:
            os.kill(os.getpid(), 9)
        return list(items)

    with pytest.raises(HarnessError, match="failed"):
        shared(fails, range(1000))
    with pytest.raises(HarnessError, match="ended from outside"):
        shared(is_killed, range(1000))


def test_no_process_is_left() -> None:
    before = children(os.getpid())
    pids = {pid for _, pid in shared(squares, range(1000))} - {os.getpid()}
    assert len(pids) == 2
    assert children(os.getpid()) == before
