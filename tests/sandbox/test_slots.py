"""The allocator of id ranges. Each test has ids of its own, which no host has, so that none meets another."""

import asyncio
import itertools
import os
import subprocess
import sys
from contextlib import AsyncExitStack

import pytest

from harness.errors import HostUnfitError
from harness.sandbox import ranges
from harness.sandbox.hostids import HostIds, Ids
from harness.sandbox.idmaps import Extent
from harness.sandbox.slots import LOOK_AGAIN, Slots, socket_name
from harness.sandbox.subids import SLOT_IDS, IdRange

_numbers = itertools.count((os.getpid() + 1) << 40, 1_000_000)
HOLD = """
import socket, sys
taken = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
taken.bind(chr(0) + sys.argv[1])
print(flush=True)
sys.stdin.read()
"""


def _ids(slots: int) -> IdRange:
    return IdRange(next(_numbers), slots * SLOT_IDS + 100)


def _slots(ids: IdRange, survivors: bool = False, network: str = "one", known: bool = True) -> Slots:
    """Outside the harness's namespace low ids are the machine's own users.

    Args:
        network: another one sees other names; simulated by what the names are made of.
    """
    inside = Ids((Extent(1, 1, ids.count),), (Extent(1, 1, ids.count),))
    outer = Ids((Extent(1, ids.first, ids.count),), (Extent(1, ids.first, ids.count),))
    seen = ids if network == "one" else IdRange(next(_numbers), ids.count)
    return Slots(seen, HostIds(inside, outer if known else None), lambda _: survivors)


def _holder(name: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", HOLD, name[1:]]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    return holder


async def test_two_allocators_never_share_a_slot() -> None:
    """Two harness processes of one user know nothing of each other."""
    ids = _ids(4)
    one, other = _slots(ids), _slots(ids)
    async with one.take() as a, other.take() as b, one.take() as c, other.take() as d:
        assert sorted(slot.first for slot in (a, b, c, d)) == [1, 2001, 4001, 6001]


async def test_one_in_other_namespaces_never_takes_the_same_ids() -> None:
    """It sees neither the names nor the processes of the other."""
    ids = _ids(4)
    one, other = _slots(ids), _slots(ids, network="other")
    async with one.take() as a, other.take() as b, one.take() as c, other.take() as d:
        assert sorted(slot.first for slot in (a, b, c, d)) == [1, 2001, 4001, 6001]


async def _within(slots: Slots, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds), slots.take():
            return True
    except TimeoutError:
        return False


async def test_where_the_hosts_numbers_are_unknown_nobody_else_makes_sandboxes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "ALL", IdRange(next(_numbers), 1 << 39))
    deep, other = _slots(_ids(2), known=False), _slots(_ids(2))
    async with deep.take() as a, deep.take() as b:
        assert {a.number, b.number} == {0, 1}
        assert not await _within(other, 0.2)
    async with other.take():
        assert not await _within(deep, 0.2)
    assert await _within(deep, 5)


async def test_a_freed_slot_is_given_again() -> None:
    slots = _slots(_ids(2))
    async with slots.take() as first:
        pass
    async with slots.take() as second:
        assert first == second


async def test_when_all_are_in_use_it_waits_for_one_of_ours() -> None:
    slots = _slots(_ids(1))

    async def want() -> int:
        async with slots.take() as slot:
            return slot.number

    async with slots.take():
        waiting = asyncio.create_task(want())
        await asyncio.sleep(0.05)
        assert not waiting.done()
    assert await asyncio.wait_for(waiting, LOOK_AGAIN / 2) == 0


async def test_a_slot_is_free_when_its_process_was_killed() -> None:
    ids = _ids(1)
    with _holder(socket_name(ids, 0)) as holder:
        slots = _slots(ids)
        async with AsyncExitStack() as stack:
            waiting = asyncio.create_task(stack.enter_async_context(slots.take()))
            await asyncio.sleep(0.05)
            assert not waiting.done()
            holder.kill()
            assert (await asyncio.wait_for(waiting, 5)).number == 0


async def test_one_who_gives_up_waiting_leaves_nothing_taken() -> None:
    slots = _slots(_ids(1))
    async with slots.take():
        waiting = asyncio.create_task(slots.take().__aenter__())
        await asyncio.sleep(0.05)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    async with asyncio.timeout(1), slots.take() as slot:
        assert slot.number == 0


async def test_a_slot_whose_processes_survived_is_never_given_again() -> None:
    slots = _slots(_ids(2), survivors=True)
    async with slots.take() as first:
        pass
    async with slots.take() as second:
        assert first != second


def test_too_few_ids_for_one_sandbox() -> None:
    with pytest.raises(HostUnfitError, match="2000"):
        _slots(IdRange(100000, 1999))


async def test_it_is_said_once_that_others_have_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.sandbox.slots.SAID_AFTER", 0.05)
    monkeypatch.setattr("harness.sandbox.slots.LOOK_AGAIN", 0.02)
    said: list[str] = []
    ids = _ids(1)
    inside = Ids((Extent(1, 1, ids.count),), (Extent(1, 1, ids.count),))
    slots = Slots(ids, HostIds(inside, inside), lambda _: False, said.append)
    async with _slots(ids).take():
        assert not await _within(slots, 0.5)
    assert len(said) == 1
    assert "other harnesses" in said[0]
    said.clear()
    async with slots.take():  # its own sandbox is what it waits for
        assert not await _within(slots, 0.2)
    assert said == []
