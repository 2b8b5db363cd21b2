"""Weighing sandboxes, and who is told."""

import asyncio
import gc

import pytest

from harness.errors import SandboxError
from harness.sandbox import processes, watchdog
from harness.sandbox.processes import Process
from harness.sandbox.slots import Slot

FOUND = [Process(10, 1, 60), Process(11, 1001, 60), Process(12, 2001, 500)]


def test_each_sandbox_by_its_own_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "proportional", lambda pid: 60)
    assert watchdog.weigh({1: 100, 2001: None, 4001: 1}, FOUND) == {
        1: (120, True),
        2001: (500, False),
        4001: (0, False),
    }


def test_shared_pages_do_not_condemn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "proportional", lambda pid: 40)
    assert watchdog.weigh({1: 100}, FOUND) == {1: (120, False)}


def test_page_tables_condemn_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "proportional", lambda pid: 40)
    assert watchdog.weigh({1: 100}, [Process(10, 1, 60, 80)]) == {1: (140, True)}


async def test_the_one_above_its_limit_is_told_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "of_ids", lambda first, count: FOUND)
    monkeypatch.setattr(processes, "proportional", lambda pid: 60)
    monkeypatch.setattr(watchdog, "INTERVAL", 0.01)
    dog = watchdog.Watchdog()
    with dog.watch(Slot(0), 100) as above, dog.watch(Slot(1), 1000) as below:
        await asyncio.wait_for(above.over, 5)
        assert not below.over.done()
        assert (above.peak, below.peak) == (120, 500)
    dog.close()


async def test_who_can_not_look_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(first: int, count: int | None) -> tuple[Process, ...]:
        raise PermissionError("no /proc")

    monkeypatch.setattr(processes, "of_ids", blind)
    dog = watchdog.Watchdog()
    with dog.watch(Slot(0), 100) as one, pytest.raises(SandboxError, match="no /proc"):
        await asyncio.wait_for(one.over, 5)
    dog.close()


async def test_nobody_need_wait_for_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(first: int, count: int | None) -> tuple[Process, ...]:
        raise PermissionError("no /proc")

    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    monkeypatch.setattr(processes, "of_ids", blind)
    dog = watchdog.Watchdog()
    with dog.watch(Slot(0), 100) as one:
        await asyncio.wait([one.over], timeout=5)
    assert one.over.done()
    del one
    gc.collect()
    assert complaints == []
    dog.close()
