"""Many files at once: whole or not at all, and flushed before and after they get their names."""

import os
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError, NoSpaceError
from harness.store import together
from harness.store.together import write_all


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_all_are_there_and_nothing_else(tmp_path: Path) -> None:
    wanted = {f"{number % 3}/{number}": os.urandom(number) for number in range(50)}
    assert write_all((tmp_path / name, data) for name, data in wanted.items()) == 50
    assert files(tmp_path) == wanted


def test_only_what_differs_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert write_all([(tmp_path / "a", b"1"), (tmp_path / "b", b"2")]) == 2
    assert write_all([(tmp_path / "a", b"1"), (tmp_path / "b", b"3")]) == 1
    assert files(tmp_path) == {"a": b"1", "b": b"3"}

    def never(_: Path) -> None:
        raise AssertionError("nothing is to be flushed")

    monkeypatch.setattr(together, "flush", never)
    assert write_all([(tmp_path / "a", b"1"), (tmp_path / "b", b"3")]) == 0


def test_names_are_given_between_two_flushes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[set[str]]()
    flush = together.flush

    def noted(folder: Path) -> None:
        seen.append({path.name for path in tmp_path.iterdir() if not path.name.startswith(".")})
        flush(folder)

    monkeypatch.setattr(together, "flush", noted)
    write_all([(tmp_path / "a", b"1"), (tmp_path / "b", b"2")])
    assert seen == [set(), {"a", "b"}]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_all([(tmp_path / "a", b"1")])
    fill: Any = together._fill

    def full(path: Path, data: bytes) -> None:
        fill(path, data[:1])
        if data == b"33":
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(together, "_fill", full)
    with pytest.raises(NoSpaceError, match="No space to write"):
        write_all([(tmp_path / "a", b"22"), (tmp_path / "b", b"33")])
    assert files(tmp_path) == {"a": b"1"}


def test_a_path_that_is_no_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(HarnessError, match="Could not write"):
        write_all([(tmp_path / "a", b"1")])
    assert files(tmp_path) == {}
