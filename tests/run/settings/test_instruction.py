"""The instruction file: read as it stands, and refused with what is wrong with it."""

import os
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.run.settings import instruction
from harness.run.settings.resolve import resolve


def test_the_text_without_white_space_at_its_ends(tmp_path: Path) -> None:
    (tmp_path / "i.txt").write_bytes("\ufeffLook f\u00fcr it.\r\n\r\nThen answer.\n\n".encode())
    settings = resolve({"instruction": str(tmp_path / "i.txt")}, {}, {})
    assert instruction.read(settings) == "Look f\u00fcr it.\n\nThen answer."


def test_none_is_named() -> None:
    assert instruction.read(resolve({}, {}, {})) is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b" \n\t", "is empty"),
        (b"\x89PNG\r\n", "no UTF-8 text: byte 0"),
        (b"a\0b", "zero byte"),
        (b"a" * ((256 << 10) + 1), "larger than 256 KiB"),
    ],
)
def test_what_is_no_instruction(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "i.txt").write_bytes(content)
    with pytest.raises(UsageError, match=reason):
        instruction.read_text(tmp_path / "i.txt")


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, reason in {"none": "No such file", "pipe": "no plain file", ".": "no plain file|Is a directory"}.items():
        with pytest.raises(UsageError, match=reason):
            instruction.read_text(tmp_path / name)
