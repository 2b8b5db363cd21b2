"""Which rollout is played next."""

import asyncio

from harness.run.plan import Item
from harness.run.queue import Queue

A, B, C = (Item(name, 0) for name in "abc")


class Clock:
    """Shows what the test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_items_come_in_their_order_and_then_none() -> None:
    queue = Queue([A, B])
    assert [await queue.take(), await queue.take()] == [A, B]
    queue.release(A)
    queue.release(B)
    assert await queue.take() is None


async def test_one_that_failed_comes_after_all_others_and_after_its_pause() -> None:
    clock = Clock()
    queue = Queue([A, B, C], clock)
    assert await queue.take() == A
    queue.release(A, again=5)
    assert [await queue.take(), await queue.take()] == [B, C]
    clock.now = 2
    assert queue.pause() == 3
    clock.now = 5
    assert queue.pause() == 0
    assert await queue.take() == A


async def test_a_worker_waits_for_what_another_one_may_bring_back() -> None:
    queue = Queue([A])
    assert await queue.take() == A
    waiting = asyncio.create_task(queue.take())
    await asyncio.sleep(0)
    assert not waiting.done()
    queue.release(A, again=0)
    assert await waiting == A
    others = [asyncio.create_task(queue.take()) for _ in range(2)]
    await asyncio.sleep(0)
    queue.release(A)
    assert await asyncio.gather(*others) == [None, None]


async def test_a_pause_ends_by_itself() -> None:
    queue = Queue([A])
    await queue.take()
    queue.release(A, again=0.02)
    async with asyncio.timeout(5):
        assert await queue.take() == A


async def test_a_closed_queue_gives_nothing_and_lets_every_worker_go() -> None:
    queue = Queue([A, B])
    await queue.take()
    queue.release(A, again=1000)
    await queue.take()
    waiting = asyncio.create_task(queue.take())
    await asyncio.sleep(0)
    queue.close()
    assert await waiting is None
    assert (queue.left, queue.pause()) == (0, 0.0)
