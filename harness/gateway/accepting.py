"""Taking connections from a sandbox's listener: so many at once, so many a second. The others wait in the kernel.

Each connection carries one request, so this bounds the requests as well; and what a sandbox does at its own listener
costs the loop, which serves all sandboxes, only so much.
"""

import asyncio
import socket
import time
from collections.abc import Callable

import attrs

# Seconds after an accept that failed: the descriptors of the process may be used up for the moment.
_PAUSE = 0.5


@attrs.define
class Pace:
    """Lets ``rate`` things a second pass in the long run, and ``burst`` at once."""

    rate: float
    burst: int
    _due: float = 0.0

    def wait(self, now: float) -> float:
        """Seconds that the next one must wait; it counts from then on."""
        self._due = max(self._due, now) + 1 / self.rate
        return max(0.0, self._due - now - self.burst / self.rate)


class Slots:
    """Places for connections; `free` gives one back."""

    def __init__(self, most: int) -> None:
        self._places = asyncio.Semaphore(most)

    async def take(self) -> None:
        """Waits for a place."""
        await self._places.acquire()

    def free(self) -> None:
        """A connection is gone."""
        self._places.release()


async def accept(listener: socket.socket, protocol: Callable[[], asyncio.Protocol], slots: Slots, pace: Pace) -> None:
    """Hands connections to new protocols until it is cancelled; whoever loses a connection frees its slot."""
    loop = asyncio.get_running_loop()
    while True:
        await slots.take()
        await asyncio.sleep(pace.wait(time.monotonic()))
        try:
            connection, _ = await loop.sock_accept(listener)
        except OSError:
            slots.free()
            await asyncio.sleep(_PAUSE)
            continue
        await loop.connect_accepted_socket(protocol, connection)
