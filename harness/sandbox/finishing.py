"""Seeing work through although its caller is cancelled."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Awaits ``work`` to its end, however often the caller is cancelled; the cancellation comes through afterwards.

    For what must not be left half-done: a thread can't be cancelled, and who stops waiting for it would clean up
    before it has made what is to be cleaned up.
    """
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            cancelled = True
    if cancelled and not task.cancelled() and task.exception() is None:
        raise asyncio.CancelledError
    return task.result()
