from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.store.batch import Batch
from harness.store.blobs import Blobs
from harness.store.digests import digest


def test_what_is_put_is_there_under_its_digest(tmp_path: Path) -> None:
    batch = Batch(Blobs(tmp_path / "blobs"))
    names = [batch.put(data) for data in (b"one", b"two", b"one")]
    batch.flush()
    assert names == [digest(b"one"), digest(b"two"), digest(b"one")]
    assert [Blobs(tmp_path / "blobs").get(name) for name in names] == [b"one", b"two", b"one"]
    assert len(list((tmp_path / "blobs").iterdir())) == 2


def test_a_flush_brings_each_new_blob_and_the_folder_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = Batch(Blobs(tmp_path))
    batch.put(b"one")
    batch.put(b"two")
    flushed: list[int] = []
    monkeypatch.setattr("os.fsync", flushed.append)
    batch.flush()
    assert len(flushed) == 3
    batch.put(b"one")  # there already
    batch.flush()
    assert len(flushed) == 4


def test_a_blob_that_is_damaged_is_written_again(tmp_path: Path) -> None:
    batch = Batch(Blobs(tmp_path))
    (tmp_path / digest(b"one")).write_bytes(b"xxx")
    batch.put(b"one")
    assert Blobs(tmp_path).get(digest(b"one")) == b"one"


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(HarnessError, match="Input/output error"):
        Batch(Blobs(tmp_path)).put(b"one")
    assert list(tmp_path.iterdir()) == []
