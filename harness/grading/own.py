"""The file of a benchmark of one's own: what of it grades, and how its errors are told.

Its code is its author's. It runs in the harness's process, with the harness's rights, and is trusted; what it returns
is checked all the same, and what it raises is told by its file and line.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import attrs

from harness.errors import HarnessError, UsageError

#: From the model's final text and the right answer to a reward; whatever it returns is checked.
Rule: TypeAlias = Callable[[str, str], object]

# Where a run has begun.
MEND: Final = "Mend the file and give the same command: what was played stays."
IMPORTABLE: Final = (
    "The file can import Python's standard library and what the harness brings: NumPy, SciPy, Pillow, OpenCV and "
    "PyArrow."
)

SAID_MAX: Final = 500  # characters of an exception's text; it may quote what a model wrote

# What the file prints goes to standard error: standard output has the JSON object. One call at a time, as the stream
# that is put in the other's place is the whole process's.
_PRINTING: Final = threading.RLock()


@attrs.frozen
class Own:
    """One's own file: where it was read from, its bytes, and its rule; None where the judge grades."""

    path: Path
    source: bytes = attrs.field(repr=False)
    rule: Rule | None


@contextlib.contextmanager
def calling(path: Path, what: str = "", advice: str = "") -> Iterator[None]:
    """While code of the file at ``path`` runs; ``what`` it is doing, such as ``grading task '3'``.

    ``advice`` says what is to be done about an error.

    Raises UsageError, with file and line, for whatever that code raises; HarnessErrors pass.
    """
    try:
        with _PRINTING, contextlib.redirect_stdout(sys.stderr), _programs_too(), _here():
            yield
    except (HarnessError, KeyboardInterrupt):
        raise
    except BaseException as error:  # what it calls may end a program, as sys.exit does, or have a class of its own
        doing = f", {what}" if what else ""
        said = _text(error)
        text = said if len(said) <= SAID_MAX else f"{said[:SAID_MAX]}..."
        line = _line(path, error)
        where = f"{path}, line {line}" if line else str(path)
        told = f"{where}{doing}: {type(error).__name__}: {text or 'without a text'}"
        more = " ".join(filter(None, (IMPORTABLE if isinstance(error, ModuleNotFoundError) else "", advice)))
        raise UsageError(f"{told.removesuffix('.')}. {more}" if more else told) from error


@contextlib.contextmanager
def _programs_too() -> Iterator[None]:
    """The same of what a program prints that the code calls."""
    for stream in (sys.__stdout__, sys.stderr):
        if stream is not None:
            stream.flush()
    ours = os.dup(1)
    try:
        os.dup2(2, 1)
        yield
    finally:
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
        os.dup2(ours, 1)
        os.close(ours)


@contextlib.contextmanager
def _here() -> Iterator[None]:
    """Come back to the working folder, by which a run and the file itself may be named."""
    folder = os.open(os.curdir, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield
    finally:
        os.fchdir(folder)
        os.close(folder)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - it is what the file made
        return "its text can't be made"


def _line(path: Path, error: BaseException) -> int | None:
    """The line of the file where it happened: the last one that led there, since libraries are called from it."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno
    line, at = None, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == str(path):
            line = at.tb_lineno
        at = at.tb_next
    return line
