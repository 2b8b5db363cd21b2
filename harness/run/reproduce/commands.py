"""Running commands of a harness, or an installer: it gets our signals, and ends when we do."""

import ctypes
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
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
# What stands before a command's last word, and how many of its lines are told where there is none.
_LAST_WORDS: Final = ("harness: ", "Error: ")
_TOLD: Final = 20


def run(
    argv: Sequence[str], expected: Sequence[int], what: str, hears: Callable[[str], None] | None = None
) -> tuple[int, bytes]:
    """The exit status of a command and what it printed; what it says goes to ``hears`` by the line, else to our own
    standard error.

    Raises KeyboardInterrupt where it was interrupted, and for another status than those ``expected`` the error that has
    it, with ``what`` was done, or with its last words where they are heard.
    """
    said = list[str]()
    with _forwarded() as forward:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=None if hears is None else subprocess.PIPE,
            process_group=0,  # a Ctrl-C comes to us alone, and once to it
            preexec_fn=lambda: _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0),
        )
        with process:
            forward(process.send_signal)
            out = process.communicate()[0] if hears is None else _heard(process, hears, said)
    if process.returncode in expected:
        return process.returncode, out
    if process.returncode in (EXIT_INTERRUPTED, -signal.SIGINT, -signal.SIGTERM):
        raise KeyboardInterrupt
    how = f"exit status {process.returncode}" if process.returncode >= 0 else f"signal {-process.returncode}"
    error = _ERRORS.get(process.returncode, HarnessError)
    if hears is None:
        raise error(f"{what} failed ({how}); what it said stands above.")
    raise error(_last_words(said) or f"{what} failed ({how}), and said nothing.")


def _heard(process: subprocess.Popen[bytes], hears: Callable[[str], None], said: list[str]) -> bytes:
    """What a process prints; each line that it says goes to ``hears``, and the last ones stay in ``said``."""
    assert process.stdout is not None
    assert process.stderr is not None
    with ThreadPoolExecutor(1) as pool:
        printed = pool.submit(process.stdout.read)
        try:
            for line in process.stderr:
                said.append(line.decode(errors="replace").rstrip("\n"))
                del said[:-1000]
                hears(said[-1])
        except BaseException:
            process.terminate()
            process.stderr.close()  # it must not wait for us to listen
            raise
        return printed.result()


def _last_words(said: Sequence[str]) -> str:
    for place in reversed(range(len(said))):
        for beginning in _LAST_WORDS:
            if said[place].startswith(beginning):
                return "\n".join([said[place].removeprefix(beginning), *said[place + 1 :]]).strip()
    return "\n".join(said[-_TOLD:]).strip()


@contextmanager
def _forwarded() -> Iterator[Callable[[Callable[[int], None]], None]]:
    """Signals come to nobody until it is said to whom, and then to that one, those that came before too.

    Only the main thread gets any: in another one there is nothing to pass on.
    """
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

    here = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, send) for number in (_FORWARDED if here else ())}
    try:
        yield begin
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
