"""The instruction file: a person's own words in the place of the benchmark's instruction."""

from pathlib import Path
from typing import Final

from harness.errors import UsageError
from harness.run.settings.files import read_plain
from harness.run.settings.resolve import Settings

# Bytes: far more than an instruction, and far less than a context.
LARGEST: Final = 256 << 10


def read(settings: Settings) -> str | None:
    """The text of the file that ``instruction`` names, without white space at its ends; None where none is named.

    Raises UsageError where it can't be read or is no text.
    """
    return None if settings["instruction"] is None else read_text(Path(settings["instruction"]))


def read_text(path: Path) -> str:
    """The text of one file; raises UsageError with what is wrong with it."""
    data = read_plain(path, "The instruction file", LARGEST)
    try:
        text = data.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n").strip()
    except UnicodeDecodeError as error:
        raise UsageError(f"The instruction file {path} is no UTF-8 text: byte {error.start} is wrong.") from None
    if "\0" in text:
        raise UsageError(f"The instruction file {path} is no text: it holds a zero byte.")
    if not text:
        raise UsageError(f"The instruction file {path} is empty. To ask without any: babyvision-question-only.")
    return text
