"""Each kind of damage to a ZIP is refused, with the member, or the row and the field."""

import json
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.benchmarks.babyvision.data import files as files_module
from harness.benchmarks.babyvision.data import images, zips
from harness.benchmarks.babyvision.data.importing import Expected, add
from harness.benchmarks.babyvision.data.installed import Place
from harness.errors import UsageError
from harness.store.digests import file_digest
from tests.benchmarks.babyvision.synthetic import Fields, picture, rows, write_zip

ROWS = rows()[132:138]  # three choices with the ids 868 to 866, three blanks with 865 to 863
TABLE = "babyvision_data/meta_data.jsonl"


def refused(place: Place, path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        add(place, path, Expected(file_digest(path), None))
    assert place.open() is None
    return str(caught.value)


def changed(index: int, **fields: Any) -> list[Fields]:
    made = [dict(row) for row in ROWS]
    made[index] |= fields
    return made


def lacking(index: int, field: str) -> list[Fields]:
    made = [dict(row) for row in ROWS]
    del made[index][field]
    return made


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        (lacking(1, "question"), ["line 2 (taskId 867): question: Field required"]),
        (lacking(4, "taskId"), ["line 5: taskId: Field required"]),
        (changed(0, taskId="868"), ["line 1: taskId: Input should be a valid integer"]),
        (changed(0, question=7), ["line 1 (taskId 868): question: Input should be a valid string"]),
        (changed(0, question=""), ["line 1 (taskId 868): question:"]),
        (changed(0, options="one"), ["line 1 (taskId 868): options:"]),
        (changed(0, options=["one", None]), ["line 1 (taskId 868): options[1]:"]),
        (changed(0, options=[]), ["line 1 (taskId 868): options: a choice puzzle needs"]),
        (changed(2, taskId=868), ["line 3 (taskId 868): taskId: an earlier row has the same"]),
        (changed(3, ansType="essay"), ["line 4 (taskId 865): ansType: Input should be 'choice' or 'blank'"]),
        (changed(1, choiceAns=9), ["line 2 (taskId 867): choiceAns:"]),
        (changed(1, choiceAns=-1), ["line 2 (taskId 867): choiceAns:"]),
        (changed(1, choiceAns=0.5), ["line 2 (taskId 867): choiceAns:"]),
        (changed(1, choiceAns=None), ["line 2 (taskId 867): choiceAns:"]),
        (changed(3, blankAns=None), ["line 4 (taskId 865): blankAns: a blank puzzle needs a text"]),
        (changed(3, blankAns=""), ["line 4 (taskId 865): blankAns: a blank puzzle needs a text"]),
        (changed(3, blankAns=5), ["line 4 (taskId 865): blankAns: Input should be a valid string"]),
        (changed(2, image=b"no picture"), ["line 3 (taskId 866): image: is no PNG, JPEG"]),
        (changed(2, image=picture(1, "PNG")[:-30]), ["line 3 (taskId 866): image: can't be decoded"]),
        (changed(2, image=picture(1, "JPEG")[:-30]), ["line 3 (taskId 866): image: can't be decoded"]),
        (changed(2, image=b""), ["line 3 (taskId 866): image:"]),
        (changed(2, image=picture(1, "ICO")), ["line 3 (taskId 866): image: is no PNG, JPEG"]),
        (changed(2, image=picture(1, "TIFF", "CMYK")), ["line 3 (taskId 866): image: is a TIFF file of mode CMYK"]),
    ],
)
def test_a_damaged_row_is_named_with_its_field(
    place: Place, tmp_path: Path, damaged: list[Fields], said: list[str]
) -> None:
    message = refused(place, write_zip(tmp_path / "bad.zip", damaged))
    assert all(part in message for part in [f"{tmp_path / 'bad.zip'}, {TABLE}", *said])
    assert "gold" not in message


def with_table(path: Path, lines: bytes, extra: dict[Any, bytes] | None = None) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(TABLE, lines)
        archive.writestr("babyvision_data/images/1.png", picture(1, "PNG"))
        for member, data in (extra or {}).items():
            archive.writestr(member, data)
    return path


def line(image: object = "images/1.png") -> bytes:
    return json.dumps({**ROWS[3], "image": image}).encode()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (line() + b'\n{"taskId": 1', "line 2: This is no JSON"),
        (line() + b"\n[]", "line 2: this is no JSON object"),
        (line() + b'\n{"taskId": "\xff"}', "line 2: This is no UTF-8"),
        (line() + b'\n{"taskId": 1, "taskId": 2}', "line 2: "),
        (line() + b'\n{"choiceAns": NaN}', "line 2: "),
        (b"\n" + line("images/2.png"), "line 2 (taskId 865): image: the ZIP has no file 'images/2.png'"),
        (line(None), "line 1 (taskId 865): image: must be the name of a file"),
        (line("../images/1.png"), "line 1 (taskId 865): image: the ZIP has no file"),
        (line("/etc/passwd"), "line 1 (taskId 865): image: the ZIP has no file"),
        (line("meta_data.jsonl"), "line 1 (taskId 865): image: the ZIP has no file"),
        (line("images"), "line 1 (taskId 865): image: the ZIP has no file"),
    ],
)
def test_a_line_that_is_no_row_is_named(place: Place, tmp_path: Path, lines: bytes, said: str) -> None:
    assert f"{TABLE}, {said}" in refused(place, with_table(tmp_path / "bad.zip", lines))


@pytest.mark.parametrize("image", ["images/1.png", "1.png", "./images/1.png", "babyvision_data/images/1.png"])
def test_an_image_may_be_named_by_path_or_file_name(place: Place, tmp_path: Path, image: str) -> None:
    path = with_table(tmp_path / "good.zip", line(image) + b"\r\n\n")
    assert list(add(place, path, Expected(file_digest(path), None)).data.puzzles) == ["865"]


def member(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


@pytest.mark.parametrize(
    ("info", "said"),
    [
        (member("../outside.png"), "lies outside"),
        (member("babyvision_data/../../outside.png"), "lies outside"),
        (member("/etc/cron.d/job"), "lies outside"),
        (member("babyvision_data\\images\\..\\x"), "lies outside"),
        (member("setup.py"), "doesn't belong"),
        (member("babyvision_data/images/2.png", stat.S_IFLNK | 0o777), "is a link or a special file"),
        (member("babyvision_data/pipe", stat.S_IFIFO | 0o644), "is a link or a special file"),
        (member("babyvision_data/images/1.png"), "is there twice"),
        (member("babyvision_data/images/./1.png"), "is there twice"),
    ],
)
def test_a_member_that_may_not_be_there_is_named(
    place: Place, tmp_path: Path, info: zipfile.ZipInfo, said: str
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile's own, of a name that is there twice
        path = with_table(tmp_path / "bad.zip", line(), {info: b"/etc/passwd"})
    message = refused(place, path)
    assert said in message
    assert repr(zipfile.ZipFile(path).infolist()[-1].filename) in message


def test_members_that_no_row_names_are_passed_over_unread(place: Place, tmp_path: Path) -> None:
    extra = {"__MACOSX/._x": b"\0", "babyvision_data/images/unused.png": b"no picture"}
    path = with_table(tmp_path / "good.zip", line(), extra)
    assert len(add(place, path, Expected(file_digest(path), None)).data.puzzles) == 1


def test_without_its_table_it_is_refused(place: Place, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("babyvision_data/images/1.png", picture(1, "PNG"))
    assert f"lacks {TABLE}" in refused(place, path)


@pytest.mark.parametrize(
    ("constant", "value", "said"),
    [
        ("MEMBERS_MAX", 1, "has 2 members"),
        ("UNPACKED_MAX", 100, "unpacks to"),
        ("TABLE_MAX", 100, "'babyvision_data/meta_data.jsonl' has"),
    ],
)
def test_what_would_unpack_to_too_much_is_refused(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, constant: str, value: int, said: str
) -> None:
    monkeypatch.setattr(zips, constant, value)
    assert said in refused(place, with_table(tmp_path / "bomb.zip", line()))


def test_an_image_that_unpacks_to_gigabytes_is_refused_before_it_is_unpacked(place: Place, tmp_path: Path) -> None:
    bomb = {"babyvision_data/images/2.png": bytes(images.BYTES_MAX + 1)}
    message = refused(place, with_table(tmp_path / "bomb.zip", line("images/2.png"), bomb))
    assert "line 1 (taskId 865): image: the member 'babyvision_data/images/2.png' has 33,554,433 bytes" in message


def test_a_member_that_is_larger_than_it_says_is_damaged(place: Place, tmp_path: Path) -> None:
    path = with_table(tmp_path / "liar.zip", line("images/2.png"), {"babyvision_data/images/2.png": bytes(100_000)})
    data = path.read_bytes()
    size = struct.pack("<L", 100_000)
    assert data.count(size) == 2  # in the member's own header, and in the directory
    path.write_bytes(data.replace(size, struct.pack("<L", 10)))
    assert "line 1 (taskId 865): image: the member 'babyvision_data/images/2.png' is damaged" in refused(place, path)


def cut(data: bytes) -> bytes:
    return data[:-50]


def flipped(data: bytes) -> bytes:
    middle = data.index(b"meta_data.jsonl") + 60
    return data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :]


def encrypted(data: bytes) -> bytes:
    entry = data.index(b"PK\1\2")
    return data[: entry + 8] + b"\1" + data[entry + 9 :]


@pytest.mark.parametrize(
    ("damage", "said"), [(cut, "damaged ZIP"), (flipped, "meta_data.jsonl' is damaged"), (encrypted, "is encrypted")]
)
def test_damaged_bytes_are_a_message(place: Place, tmp_path: Path, damage: Callable[[bytes], bytes], said: str) -> None:
    path = with_table(tmp_path / "bad.zip", line())
    path.write_bytes(damage(path.read_bytes()))
    assert said in refused(place, path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is neither the authors' ZIP nor a parquet file: it is empty"),
        (b"<html>", "is neither the authors' ZIP nor a parquet file: it begins with 3c 68 74 6d"),
        (b"PAR1", "is a damaged parquet"),
        (b"PK\3\4", "is a damaged ZIP"),
    ],
)
def test_a_file_of_neither_kind_is_told_from_its_content(place: Place, tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "file.zip"
    path.write_bytes(data)
    assert said in refused(place, path)


def test_a_file_that_is_too_large_is_not_read(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "BYTES_MAX", 5)
    path = tmp_path / "file.zip"
    path.write_bytes(b"PK\3\4..")
    with pytest.raises(UsageError, match="has 6 bytes"):
        add(place, path)
