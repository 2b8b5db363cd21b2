"""Ends sandboxes whose processes together use more memory than they may, where no cgroup does."""

import asyncio
import contextlib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

import attrs

from harness.errors import SandboxError
from harness.sandbox import processes
from harness.sandbox.slots import Slot
from harness.sandbox.subids import SLOT_IDS

#: Seconds between two looks. A sandbox can grow by some hundred MiB in this time.
INTERVAL = 0.25


def _future() -> "asyncio.Future[None]":
    return asyncio.get_running_loop().create_future()


@attrs.define(eq=False)
class Watched:
    """One sandbox under watch. ``limit`` is in bytes, None to look only; ``peak`` is the largest sum seen.

    ``over`` is done when the limit has been passed, and holds the error if nobody can watch any more.
    """

    slot: Slot
    limit: int | None
    over: "asyncio.Future[None]" = attrs.field(factory=_future)
    peak: int = 0


def weigh(limits: Mapping[int, int | None], found: Iterable[processes.Process]) -> dict[int, tuple[int, bool]]:
    """For each sandbox the sum of its processes' memory, and whether that is too much.

    Pages that processes share are counted once only where that decides: it takes a walk through all pages.

    Args:
        limits: by the first of each sandbox's ids.
    """
    seen = {}
    for first, limit in limits.items():
        mine = [one for one in found if first <= one.uid < first + SLOT_IDS]
        total = sum(one.rss + one.tables for one in mine)
        above = limit is not None and total > limit
        seen[first] = (total, above and sum(map(_fairly, mine)) > (limit or 0))
    return seen


def _fairly(one: processes.Process) -> int:
    return processes.proportional(one.pid) + one.tables


def look(limits: Mapping[int, int | None]) -> dict[int, tuple[int, bool]]:
    """Weighs all that runs in our namespace and isn't the harness itself."""
    return weigh(limits, processes.of_ids(1, None))


class Watchdog:
    """One walk through /proc for all sandboxes of a host, in a thread of its own, as long as there are any."""

    def __init__(self) -> None:
        self._watched: set[Watched] = set()
        self._thread = ThreadPoolExecutor(1, "watchdog")
        self._task: asyncio.Task[None] | None = None

    @contextlib.contextmanager
    def watch(self, slot: Slot, limit: int | None) -> Iterator[Watched]:
        """Watches one sandbox while it lasts."""
        one = Watched(slot, limit)
        self._watched.add(one)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._loop())
        try:
            yield one
        finally:
            self._watched.discard(one)
            if one.over.done():
                one.over.exception()  # who never waited for it has failed otherwise; asyncio would print a traceback

    async def _loop(self) -> None:
        try:
            while self._watched:
                await self._look_once()
                await asyncio.sleep(INTERVAL)
        except Exception as error:  # noqa: BLE001  whoever waits must not wait in vain
            for one in self._watched:
                if not one.over.done():
                    one.over.set_exception(SandboxError(f"The watchdog can't see the sandboxes' memory: {error!r}"))

    async def _look_once(self) -> None:
        limits = {one.slot.first: one.limit for one in self._watched}
        seen = await asyncio.get_running_loop().run_in_executor(self._thread, look, limits)
        for one in self._watched:
            total, above = seen.get(one.slot.first, (0, False))
            one.peak = max(one.peak, total)
            if above and not one.over.done():
                one.over.set_result(None)

    def close(self) -> None:
        """Lets the thread go, when nothing is watched any more."""
        if self._task is not None:
            self._task.cancel()
        self._thread.shutdown(wait=False)
