"""Blobs: each once, checked whenever they are read."""

import pytest

from harness.errors import StoreCorruptError
from harness.store import atomic
from harness.store.blobs import Blobs
from harness.store.digests import Digest, digest


@pytest.mark.parametrize("data", [b"", b"abc", bytes(range(256)) * 1000])
def test_what_is_put_is_got_under_its_digest(blobs: Blobs, data: bytes) -> None:
    name = blobs.put(data)
    assert name == digest(data)
    assert blobs.has(name)
    assert blobs.get(name) == data
    assert blobs.path(name).read_bytes() == data


def test_the_same_bytes_are_written_once(blobs: Blobs, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs.put(b"abc")
    monkeypatch.setattr(atomic, "write", lambda *_: pytest.fail("written again"))
    blobs.put(b"abc")
    assert list(blobs) == [digest(b"abc")]


def test_a_missing_blob_is_named(blobs: Blobs) -> None:
    with pytest.raises(StoreCorruptError, match=f"{digest(b'abc')} is missing"):
        blobs.get(digest(b"abc"))
    assert not blobs.has(digest(b"abc"))


def test_a_changed_blob_is_refused_with_both_digests(blobs: Blobs) -> None:
    name = blobs.put(b"abc")
    blobs.path(name).write_bytes(b"abd")
    with pytest.raises(StoreCorruptError, match=f"{name} was changed: its SHA-256 is {digest(b'abd')}"):
        blobs.get(name)


def test_a_cut_blob_is_healed_by_the_same_bytes(blobs: Blobs) -> None:
    name = blobs.put(b"abc")
    blobs.path(name).write_bytes(b"a")
    blobs.put(b"abc")
    assert blobs.get(name) == b"abc"


def test_listing_is_sorted_and_passes_over_unfinished_files(blobs: Blobs) -> None:
    assert list(blobs) == []
    expected = sorted(blobs.put(bytes([number])) for number in range(5))
    (blobs.folder / ".unfinished").write_bytes(b"")
    (blobs.folder / "README").write_bytes(b"")
    assert list(blobs) == expected
    assert not blobs.has(Digest("0" * 64))


def test_what_a_collector_has_set_aside_is_there(blobs: Blobs) -> None:
    name = blobs.put(b"abc")
    for asked in (blobs.has, blobs.get):
        blobs.path(name).rename(blobs.folder / f".{name}")
        assert asked(name)
        assert blobs.path(name).read_bytes() == b"abc"
        (blobs.folder / f".{name}").unlink()
