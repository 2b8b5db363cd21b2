"""Ends a sandbox whose processes together use more memory than they may, where no cgroup does."""

import asyncio

import attrs

from harness.sandbox import processes
from harness.sandbox.slots import Slot
from harness.sandbox.subids import SLOT_IDS

#: Seconds between two looks. A sandbox can grow by some hundred MiB in this time.
INTERVAL = 0.25


@attrs.define
class Watchdog:
    """Looks at one sandbox; ``limit`` is in bytes, None to look only. ``peak`` is the largest sum seen."""

    slot: Slot
    limit: int | None
    peak: int = 0

    def over(self) -> bool:
        """One look. Shared pages are counted once only where that decides: it takes a walk through all pages."""
        found = processes.of_ids(self.slot.first, SLOT_IDS)
        total = sum(one.rss for one in found)
        self.peak = max(self.peak, total)
        if self.limit is None or total <= self.limit:
            return False
        return sum(processes.proportional(one.pid) for one in found) > self.limit

    async def watch(self) -> None:
        """Returns when the limit is passed; without a limit it goes on until it is cancelled."""
        while not await asyncio.to_thread(self.over):  # noqa: ASYNC110  the kernel gives no event for this
            await asyncio.sleep(INTERVAL)
