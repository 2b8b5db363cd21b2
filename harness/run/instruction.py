"""The instruction file: a person's own words in the place of the benchmark's instruction."""

import os
import stat
from pathlib import Path
from typing import Final

from harness.errors import UsageError
from harness.run.settings import Settings

# Bytes: far more than an instruction, and far less than a context.
LARGEST: Final = 256 * 1024


def read(settings: Settings) -> str | None:
    """The text of the file that ``instruction`` names, without white space at its ends; None where none is named.

    Raises UsageError where it can't be read or is no text.
    """
    return None if settings["instruction"] is None else read_text(Path(settings["instruction"]))


def read_text(path: Path) -> str:
    """The text of one file; raises UsageError with what is wrong with it."""
    data = _read(path)
    if len(data) > LARGEST:
        raise UsageError(f"The instruction file {path} is larger than {LARGEST // 1024} KiB.")
    try:
        text = data.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n").strip()
    except UnicodeDecodeError as error:
        raise UsageError(f"The instruction file {path} is no UTF-8 text: byte {error.start} is wrong.") from None
    if "\0" in text:
        raise UsageError(f"The instruction file {path} is no text: it holds a zero byte.")
    if not text:
        raise UsageError(f"The instruction file {path} is empty. To ask without any: babyvision-question-only.")
    return text


def _read(path: Path) -> bytes:
    try:
        # Not to wait for a writer where the path is a pipe: what isn't a plain file is refused below.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise UsageError(f"The instruction file {path} is no plain file.")
            return opened.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"The instruction file {path} can't be read: {error.strerror}.") from None
    except ValueError:
        raise UsageError("The path of the instruction file holds a zero byte.") from None
