"""Ctrl-C once, or SIGUSR1: what runs is finished. Twice, or SIGTERM: all is stopped now."""

import asyncio
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# One key press can arrive twice: from the terminal, and passed on by a process above us.
SAME_PRESS = 0.2  # seconds


class Interrupts:
    """What signals do while a run is under way.

    ``asked`` is true after the first SIGINT or SIGUSR1. Where no `finishing` block is open there is nothing to be
    finished, and the first one stops the run at once. SIGUSR1 is a batch system's warning that the time is nearly up:
    a second one hurries nothing.
    """

    def __init__(self, stop_now: Callable[[], object], clock: Callable[[], float] = time.monotonic) -> None:
        self.asked = False
        self._stop_now = stop_now
        self._clock = clock
        self._gently: list[Callable[[], None]] = []
        self._heard = float("-inf")

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """While it lasts the signals of this process come here."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self.interrupt)
        loop.add_signal_handler(signal.SIGUSR1, self.warn)
        loop.add_signal_handler(signal.SIGTERM, self._stop_now)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            loop.remove_signal_handler(signal.SIGUSR1)
            loop.remove_signal_handler(signal.SIGTERM)

    @contextmanager
    def finishing(self, gently: Callable[[], None]) -> Iterator[None]:
        """While it lasts the first of these signals calls ``gently``."""
        self._gently.append(gently)
        try:
            yield
        finally:
            self._gently.remove(gently)

    def warn(self) -> None:
        """A SIGUSR1 has come."""
        if not self.asked:
            self.interrupt()

    def interrupt(self) -> None:
        """A SIGINT has come."""
        now = self._clock()
        if now - self._heard < SAME_PRESS:
            return
        self._heard = now
        if self.asked or not self._gently:
            self._stop_now()
        else:
            self._gently[-1]()
        self.asked = True
