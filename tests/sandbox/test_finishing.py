"""Work that must not be left half-done."""

import asyncio

import pytest

from harness.sandbox.finishing import to_the_end


async def test_its_result_comes_back() -> None:
    assert await to_the_end(asyncio.sleep(0, "done")) == "done"


async def test_its_error_comes_back() -> None:
    async def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await to_the_end(fail())


async def test_cancelled_twice_it_still_ends_first() -> None:
    log = []

    async def work() -> None:
        await asyncio.sleep(0.05)
        log.append("ended")

    task = asyncio.create_task(to_the_end(work()))
    for _ in range(2):
        await asyncio.sleep(0.01)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert log == ["ended"]
    assert task.cancelled()


async def test_an_error_is_not_lost_to_a_cancellation() -> None:
    async def fail() -> None:
        await asyncio.sleep(0.02)
        raise KeyError("x")

    task = asyncio.create_task(to_the_end(fail()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(KeyError):
        await task
