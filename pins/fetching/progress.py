"""What is going on, on standard error: a line that counts on a terminal, a plain line per step elsewhere."""

import sys
import threading
import time


class Progress:
    """Counts files and bytes towards a total; may be used by several threads."""

    def __init__(self, doing: str, files: int, size: int) -> None:
        self._doing = doing
        self._files, self._size = files, size
        self._done_files = self._done_size = 0
        self._start = time.monotonic()
        self._lock = threading.Lock()
        self._live = sys.stderr.isatty()

    def advance(self, files: int, size: int, what: str) -> None:
        """``files`` more files with ``size`` bytes are there; ``what`` names them."""
        with self._lock:
            self._done_files += files
            self._done_size += size
            line = (
                f"{self._doing}: {self._done_files} of {self._files} files, "
                f"{_mb(self._done_size)} of {_mb(self._size)} MB, {time.monotonic() - self._start:.0f} s ({what})"
            )
            ending = "\n" if not self._live or self._done_files == self._files else ""
            print(f"\r\033[K{line}" if self._live else line, end=ending, file=sys.stderr, flush=True)


def say(text: str) -> None:
    """One line of its own."""
    print(text, file=sys.stderr, flush=True)


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f}"
