"""Showing how a run goes, on standard error: a live display on a terminal, plain lines elsewhere."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, TextIO

from harness.report.words import duration, plain
from harness.run.progress import Show, Snapshot

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

# Seconds without a line after which a plain log says how far the run is.
HEARTBEAT: Final = 30.0
REFRESH: Final = 0.5  # seconds between two states of what counts faster than anybody reads


@contextmanager
def shown(stream: TextIO) -> Iterator[Show]:
    """Where a run's lines and states go until the block ends."""
    if not stream.isatty() or os.environ.get("TERM") in (None, "", "dumb"):
        yield PlainLines(stream)
        return
    from rich.console import Console  # takes a tenth of a second
    from rich.live import Live

    console = Console(file=stream, markup=False, highlight=False, emoji=False)
    with Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False) as live:
        yield LiveDisplay(console, live)


def following(show: Show, clock: Callable[[], float] = time.monotonic) -> Callable[[int, int], None]:
    """What is called with how many of how many are done, and passes it on to ``show`` now and then."""
    spoken = clock()

    def told(done: int, planned: int) -> None:
        nonlocal spoken
        if (now := clock()) - spoken < REFRESH:
            return
        spoken = now
        counts = {"masked": 0, "judging": 0, "running": 0, "left": planned - done}
        show.update(Snapshot(planned=planned, measured=done, **counts, rate=None, eta=None, stalls=()))

    return told


class PlainLines:
    """Lines for a log: each as it comes, and the state where nothing else came for a while."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._spoken = clock()

    def line(self, text: str) -> None:
        # Whoever read the log may be gone, or its disk full: no reason to lose what runs.
        with suppress(OSError):
            self._stream.write(plain(text) + "\n")
            self._stream.flush()
        self._spoken = self._clock()

    def update(self, snapshot: Snapshot) -> None:
        if self._clock() - self._spoken >= HEARTBEAT:
            self.line("; ".join((state(snapshot), *snapshot.stalls)))


class LiveDisplay:
    """The state stays at the bottom of the terminal; lines go by above it."""

    def __init__(self, console: "Console", live: "Live") -> None:
        self._console = console
        self._live = live

    def line(self, text: str) -> None:
        self._console.print(plain(text), soft_wrap=True)

    def update(self, snapshot: Snapshot) -> None:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        lines = (state(snapshot), *snapshot.stalls)
        done = snapshot.measured + snapshot.masked
        grid = Table.grid(expand=True)
        grid.add_row(ProgressBar(total=max(1, snapshot.planned), completed=done, width=min(60, self._console.width)))
        for line in lines:
            grid.add_row(Text(plain(line), no_wrap=True, overflow="ellipsis"))
        self._live.update(grid, refresh=True)


def state(snapshot: Snapshot) -> str:
    """The counts in one line, without what there is none of."""
    parts = [f"{snapshot.measured} of {snapshot.planned} done"]
    for count, what in (
        (snapshot.masked, "masked"),
        (snapshot.running, "running"),
        (snapshot.judging, "with the judge"),
        (snapshot.left, "left"),
    ):
        if count:
            parts.append(f"{count} {what}")
    if snapshot.rate is not None:
        parts.append(f"{snapshot.rate:.1f} a minute")
    if snapshot.eta is not None:
        parts.append(f"about {duration(snapshot.eta)} to go")
    return ", ".join(parts)
