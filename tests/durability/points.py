"""Every place at which a writer of a run folder can die: the kind of file, and the step of its way to the disk."""

import os
import stat
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from harness.store import atomic

#: In the order in which a run writes its first one of each.
KINDS: Final = (
    "task set",
    "manifest",
    "scorer",
    "observed",
    "blob",
    "pack",
    "record",
    "done",
    "judge",
    "score",
    "summary",
)
#: Before the temporary file; it is written and not flushed; flushed and not named; named and the folder is not flushed;
#: after all.
STEPS: Final = ("before", "unflushed", "unnamed", "unsynced", "after")

_TOP: Final = {
    "manifest.json": "manifest",
    "summary.json": "summary",
    "observed": "observed",
    "attempts": "record",
    "done": "done",
    "judge": "judge",
    "scores": "score",
}


@attrs.frozen
class Point:
    """One of them."""

    kind: str
    step: str

    def __str__(self) -> str:
        return f"{self.kind}, {self.step}"


POINTS: Final = tuple(Point(kind, step) for kind in KINDS for step in STEPS)


def kind(path: Path, root: Path, blobs: Mapping[str, str]) -> str:
    """What a file of the run folder ``root`` is; ``blobs`` has the kinds of the blobs that every run of the tasks has.

    All others are packs: they hold times, so no two are equal.
    """
    first, *rest = path.relative_to(root).parts
    return blobs.get(rest[-1], "pack") if first == "blobs" else _TOP[first]


class Watch:
    """Tells of each step of each file that `harness.store.atomic` writes in this process.

    Nothing of the store is changed for it: what it calls is wrapped, from now on and for good.
    """

    def __init__(self, tell: Callable[[Path, str], None]) -> None:
        self._tell = tell
        self._now = threading.local()  # the file that this thread writes, and whether it has its name

    def begin(self) -> None:
        """Wrap what the store calls."""
        self._wrap_writer(atomic, "write")
        self._wrap_writer(atomic, "publish")
        self._wrap_namer("replace")
        self._wrap_namer("link")
        real_fsync = os.fsync

        def fsync(handle: Any) -> None:
            is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
            if not is_folder:
                self._at("unflushed")
            elif self._now.__dict__.get("named"):
                self._at("unsynced")
            real_fsync(handle)

        os.fsync = fsync

    def _wrap_writer(self, module: Any, name: str) -> None:
        real = getattr(module, name)

        def call(path: Path, data: bytes) -> Any:
            self._now.path, self._now.named = path, False
            self._at("before")
            try:
                result = real(path, data)
                self._at("after")
                return result
            finally:
                self._now.path = None

        setattr(module, name, call)

    def _wrap_namer(self, name: str) -> None:
        real = getattr(os, name)

        def call(*arguments: Any, **options: Any) -> Any:
            self._at("unnamed")
            result = real(*arguments, **options)
            self._now.named = True
            return result

        setattr(os, name, call)

    def _at(self, step: str) -> None:
        path = self._now.__dict__.get("path")
        if path is not None:
            self._tell(path, step)
