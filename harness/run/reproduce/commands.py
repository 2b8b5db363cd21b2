"""Running another harness's commands, or an installer: it gets our signals, and ends when we do."""

import ctypes
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Final

from harness.errors import (
    EXIT_CHECK,
    EXIT_HOST,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    CheckFailedError,
    HarnessError,
    HostUnfitError,
    UsageError,
)

_FORWARDED: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)
_PR_SET_PDEATHSIG: Final = 1  # linux/prctl.h
_libc = ctypes.CDLL(None)

# What is raised for a command that ended so: the same exit status follows from it here.
_ERRORS: Final = {EXIT_USAGE: UsageError, EXIT_HOST: HostUnfitError, EXIT_CHECK: CheckFailedError}


def run(argv: Sequence[str], expected: Sequence[int], what: str) -> tuple[int, bytes]:
    """The exit status of a command and what it printed; what it says goes to our own standard error.

    Raises KeyboardInterrupt where it was interrupted, and for another status than those ``expected`` the error that has
    it, with ``what`` was done.
    """
    with _forwarded() as forward:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            process_group=0,  # a Ctrl-C comes to us alone, and once to it
            preexec_fn=lambda: _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0),
        )
        with process:
            forward(process.send_signal)
            out, _ = process.communicate()
    if process.returncode in expected:
        return process.returncode, out
    if process.returncode in (EXIT_INTERRUPTED, -signal.SIGINT, -signal.SIGTERM):
        raise KeyboardInterrupt
    how = f"exit status {process.returncode}" if process.returncode >= 0 else f"signal {-process.returncode}"
    raise _ERRORS.get(process.returncode, HarnessError)(f"{what} failed ({how}); what it said stands above.")


@contextmanager
def _forwarded() -> Iterator[Callable[[Callable[[int], None]], None]]:
    """Signals come to nobody until it is said to whom, and then to that one, those that came before too."""
    waiting: list[int] = []
    to: list[Callable[[int], None]] = []

    def send(number: int, _: FrameType | None) -> None:
        waiting.append(number)
        while to and waiting:
            to[0](waiting.pop(0))

    def begin(target: Callable[[int], None]) -> None:
        to.append(target)
        while waiting:
            target(waiting.pop(0))

    before = {number: signal.signal(number, send) for number in _FORWARDED}
    try:
        yield begin
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
