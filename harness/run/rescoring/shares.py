"""Work that is shared out among processes: each does an equal part of the list."""

import contextlib
import gc
import itertools
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

from harness.errors import HarnessError

T = TypeVar("T")
R = TypeVar("R")

# Fewer items are done before a second process is there.
FEW: Final = 64


def shared(work: Callable[[Sequence[T]], list[R]], items: Sequence[T]) -> list[R]:
    """What ``work`` makes of all items, in their order; whatever a part raises is raised here.

    The calling process must have no threads, since the others are its forks. What comes back must be plain values.
    """
    processes = len(os.sched_getaffinity(0))
    if processes < 2 or len(items) < FEW:
        return work(items)
    # The caller has what comes back to put together, and little to gain from many.
    processes = min(processes, 4)
    edges = [len(items) * number // processes for number in range(processes + 1)]
    first, *others = (items[low:high] for low, high in itertools.pairwise(edges))
    with _no_garbage():
        helpers = [_Helper(work, part) for part in others]
        try:
            found = work(first)
            for helper in helpers:
                found += helper.result()
        finally:
            for helper in helpers:
                helper.end()
    return found


@contextlib.contextmanager
def _no_garbage() -> Iterator[None]:
    """Nothing is looked through for garbage meanwhile: there is none, and pages that are shared stay so."""
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


class _Helper:
    """A forked process that works on one part."""

    def __init__(self, work: Callable[[Sequence[Any]], list[Any]], part: Sequence[Any]) -> None:
        self._reads, writes = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._reads)
            _work(work, part, writes)
        os.close(writes)

    def result(self) -> list[Any]:
        with open(self._reads, "rb", closefd=False) as pipe:
            data = pipe.read()
        if not data:
            raise HarnessError("A process that did a part of the work was ended from outside. Run the command again.")
        found = pickle.loads(data)  # noqa: S301 - from our own fork
        if isinstance(found, BaseException):
            raise found
        return list(found)

    def end(self) -> None:
        os.close(self._reads)
        os.kill(self._pid, signal.SIGKILL)  # it has said all, or nobody listens any more; not reaped yet, so it is ours
        os.waitpid(self._pid, 0)


def _work(work: Callable[[Sequence[Any]], list[Any]], part: Sequence[Any], writes: int) -> None:
    """What a forked process does instead of all that its parent would do next."""
    try:
        try:
            found: object = work(part)
        except HarnessError as error:
            found = error
        except Exception:  # noqa: BLE001 - it is told to the parent, which ends with it
            traceback.print_exc()
            sys.stderr.flush()
            found = HarnessError("A process that did a part of the work failed; what it said stands above.")
        with open(writes, "wb") as pipe:
            pickle.dump(found, pipe, pickle.HIGHEST_PROTOCOL)
    finally:
        os._exit(0)
