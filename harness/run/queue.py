"""The order in which rollouts are played: one that has failed comes again at the end, and after a pause."""

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable, Iterable

from harness.run.plan import Item


class Queue:
    """Gives out items to several workers; each says `release` when it is through with one."""

    def __init__(self, items: Iterable[Item], clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._numbers = itertools.count()
        self._waiting = [(0.0, next(self._numbers), item) for item in items]  # sorted, so it is a heap
        self._out = 0
        self._closed = False
        self._changed = asyncio.Event()

    @property
    def left(self) -> int:
        """Items that are still to be given out."""
        return 0 if self._closed else len(self._waiting)

    def pause(self) -> float:
        """For how many seconds every item that is left must rest; 0 if one may be taken, or none is left."""
        return max(0.0, self._waiting[0][0] - self._clock()) if self.left else 0.0

    async def take(self) -> Item | None:
        """The next item, as soon as one may be played; None where none is left and none can come back."""
        while not self._closed and (self._waiting or self._out):
            if self._waiting and self.pause() <= 0:
                self._out += 1
                return heapq.heappop(self._waiting)[2]
            self._changed.clear()
            try:
                async with asyncio.timeout(self.pause() if self._waiting else None):
                    await self._changed.wait()
            except TimeoutError:
                continue
        return None

    def release(self, item: Item, again: float | None = None) -> None:
        """A worker is through with an item; it is to be played again after ``again`` seconds unless that is None."""
        self._out -= 1
        if again is not None:
            heapq.heappush(self._waiting, (self._clock() + again, next(self._numbers), item))
        self._changed.set()

    def close(self) -> None:
        """Gives out nothing more."""
        self._closed = True
        self._changed.set()
