"""Heavy work for one sandbox: in a thread, one piece at a time, and with a pause after each.

Python runs one thread at a time, so what is done in a thread still takes from all sandboxes. The pause leaves most of
the time to the others, however much one of them sends.
"""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Turns:
    """The turns of one sandbox, which takes at most a ``share`` of one processor."""

    def __init__(self, share: float) -> None:
        self._pause = 1 / share - 1  # for each second of work
        self._lock = asyncio.Lock()
        self._next = 0.0

    async def run(self, work: Callable[[], T]) -> T:
        """Does the work when it is its turn.

        Who gives up waiting leaves a piece that has begun to its end: a thread can't be stopped, and the next one
        must not run beside it.
        """
        await self._lock.acquire()
        try:
            await asyncio.sleep(self._next - time.monotonic())
            task = asyncio.ensure_future(asyncio.to_thread(self._timed, work))
        except BaseException:
            self._lock.release()
            raise
        task.add_done_callback(self._over)
        return await asyncio.shield(task)

    def _timed(self, work: Callable[[], T]) -> T:
        started = time.thread_time()
        try:
            return work()
        finally:
            self._next = time.monotonic() + (time.thread_time() - started) * self._pause

    def _over(self, task: "asyncio.Task[T]") -> None:
        self._lock.release()
        if not task.cancelled():
            task.exception()  # nobody may be left to be told
