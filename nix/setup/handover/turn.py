"""Who is at work on a checkout: calls that run side by side share a work folder, and the last one brings back."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path


class Turns:
    """Locks of one checkout. ``folder`` is root's, so that the account can put no other file in their place."""

    def __init__(self, folder: Path, key: str) -> None:
        folder.mkdir(mode=0o755, exist_ok=True)
        self._change = folder / f"{key}.change"
        self._running = folder / f"{key}.running"

    @contextlib.contextmanager
    def change(self) -> Iterator[None]:
        """Hold this while entries move to or from the work folder. Waits for its turn."""
        fd = _open(self._change)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def start(self) -> int:
        """Return a descriptor that says "running" for as long as it is open anywhere: give it to the command too."""
        fd = _open(self._running)
        fcntl.flock(fd, fcntl.LOCK_SH)
        return fd

    def nobody_runs(self) -> bool:
        """Tell whether every process that got such a descriptor has ended or closed it."""
        fd = _open(self._running)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        else:
            return True
        finally:
            os.close(fd)


def _open(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
