import asyncio
import threading
import time

import pytest

from harness.gateway.turns import Turns


def burn(seconds: float) -> float:
    started = time.thread_time()
    while time.thread_time() - started < seconds:
        pass
    return time.monotonic()


async def test_work_is_followed_by_a_pause_in_proportion() -> None:
    turns = Turns(0.25)
    ended = await turns.run(lambda: burn(0.1))
    began = await turns.run(time.monotonic)
    assert began - ended >= 0.29


async def test_what_the_work_raises_is_raised() -> None:
    turns = Turns(1.0)
    with pytest.raises(ZeroDivisionError):
        await turns.run(lambda: 1 // 0)
    assert await turns.run(lambda: 1) == 1


async def test_who_gives_up_lets_no_second_piece_run_beside_the_first() -> None:
    turns, go_on, begun, seen = Turns(1.0), threading.Event(), threading.Event(), []

    def slow() -> None:
        begun.set()
        go_on.wait(10)
        seen.append("first")

    first = asyncio.create_task(turns.run(slow))
    await asyncio.to_thread(begun.wait, 10)
    first.cancel()
    await asyncio.wait((first,))
    second = asyncio.create_task(turns.run(lambda: seen.append("second")))
    await asyncio.sleep(0.05)
    assert seen == []
    go_on.set()
    await second
    assert seen == ["first", "second"]
