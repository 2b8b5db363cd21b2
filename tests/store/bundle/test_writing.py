"""The bytes of a bundle."""

import hashlib
import io
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pyarrow
import pytest

from harness.errors import StoreCorruptError
from harness.store.bundle.contents import Contents
from harness.store.bundle.writing import write

Dump = Callable[[Path], Iterator[bytes]]


def written(contents: Contents, dump: Dump) -> bytes:
    file = io.BytesIO()
    write(contents, file, lambda line: None, dump)
    return file.getvalue()


def files(raw: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(raw), mode="r:") as tar:
        members = [member for member in tar.getmembers() if member.isfile()]
        return {member.name: tar.extractfile(member).read() for member in members}  # type: ignore[union-attr]


def test_it_holds_what_its_description_says(contents: Contents, dump: Dump) -> None:
    found = files(written(contents, dump))
    parts = ("a", "b", "c")
    assert set(found) == {
        f"hermetic-harness/{name}"
        for name in (
            *("install", "bundle.json", "SHA256SUMS", "cache/nix-cache-info"),
            *(f"cache/{part * 32}.narinfo" for part in parts),
            *(f"cache/nar/{part * 32}.nar.zst" for part in parts),
            *("data/set/zip.json", f"data/set/blobs/sha256/{'0' * 64}"),
        )
    }
    nar = found[f"hermetic-harness/cache/nar/{'a' * 32}.nar.zst"]
    assert pyarrow.CompressedInputStream(pyarrow.BufferReader(nar), "zstd").read() == b"the interpreter" * 100
    assert found["hermetic-harness/data/set/zip.json"] == b"{}"


def test_each_file_is_among_the_sums(contents: Contents, dump: Dump) -> None:
    found = files(written(contents, dump))
    lines = found.pop("hermetic-harness/SHA256SUMS").decode().splitlines()
    named = {f"hermetic-harness/{line[66:]}": line[:64] for line in lines}
    assert named == {name: hashlib.sha256(data).hexdigest() for name, data in found.items()}
    assert [line[66:] for line in lines] == sorted(line[66:] for line in lines)


def test_nothing_of_when_and_by_whom_is_in_it(contents: Contents, dump: Dump) -> None:
    raw = written(contents, dump)
    with tarfile.open(fileobj=io.BytesIO(raw), mode="r:") as tar:
        told = {(member.mtime, member.uid, member.gid, member.uname, member.gname) for member in tar.getmembers()}
    assert told == {(0, 0, 0, "", "")}
    for each in contents.data:
        each.path.chmod(0o600)
    assert written(contents, dump) == raw


def test_a_store_path_that_was_changed_is_not_packed(contents: Contents, dump: Dump) -> None:
    def changed(path: Path) -> Iterator[bytes]:
        yield from dump(path)
        yield b"!"

    with pytest.raises(StoreCorruptError, match=r"/nix/store/a+-python was changed"):
        written(contents, changed)


def test_a_store_path_that_is_gone_is_not_packed(contents: Contents) -> None:
    def gone(path: Path) -> Iterator[bytes]:
        raise FileNotFoundError(2, "No such file or directory", str(path))
        yield b""

    with pytest.raises(StoreCorruptError, match=r"/nix/store/a+-python"):
        written(contents, gone)


@pytest.mark.parametrize("text", ["short", "an image that became longer"])
def test_a_data_file_that_changes_is_not_packed(contents: Contents, dump: Dump, text: str) -> None:
    contents.data[0].path.write_text(text)
    with pytest.raises(StoreCorruptError, match="changed while it was read"):
        written(contents, dump)


def test_the_installer_begins_with_what_is_in_the_bundle(contents: Contents, dump: Dump) -> None:
    script = files(written(contents, dump))["hermetic-harness/install"].decode()
    assert script.startswith(
        f"#!/bin/sh\nharness='{contents.harness}'\nflake='{contents.source}'\npins=''\ndata='yes'\n"
    )
    assert f"\n/nix/store/{'c' * 32}-source 0\n" in script
    without = files(written(attrs.evolve(contents, data=()), dump))["hermetic-harness/install"].decode()
    assert "\ndata=''\n" in without
