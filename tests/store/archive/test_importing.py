"""Taking archives back: the same run folder, whole or not at all."""

import contextlib
import multiprocessing
import os
import random
import shutil
import signal
import tarfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import NoSpaceError, StoreCorruptError, UsageError
from harness.store.archive import importing, writing
from harness.store.archive.archiving import archive
from harness.store.archive.importing import import_archive
from harness.store.archive.unfinished import is_leftover
from harness.store.runfolder import RunFolder
from harness.store.verify import verify
from tests.store.archive.conftest import files_of, nothing_left, outer, unpacked

FORK = multiprocessing.get_context("fork")


def test_a_run_comes_back_byte_for_byte(stored: RunFolder, packed: Path, tmp_path: Path) -> None:
    done = import_archive(packed, tmp_path / "back")
    assert files_of(tmp_path / "back") == files_of(stored.layout.root)
    assert done.new
    assert done.checked.artifact.facts.content == stored.content_digest()
    archive(tmp_path / "back", tmp_path / "again.tar")
    assert packed.read_bytes() == (tmp_path / "again.tar").read_bytes()
    nothing_left(tmp_path, "run", "packed.tar", "back", "again.tar")


def test_a_folder_is_read_as_a_file_is(stored: RunFolder, packed: Path, tmp_path: Path) -> None:
    archive(stored.layout.root, tmp_path / "layout", folder=True)
    in_folder = import_archive(tmp_path / "layout", tmp_path / "back")
    assert in_folder == import_archive(packed, tmp_path / "back2")
    assert files_of(tmp_path / "back") == files_of(tmp_path / "back2")


def test_what_other_tars_make_of_a_layout_is_read(packed: Path, stored: RunFolder, tmp_path: Path) -> None:
    """Folders, "./" before names, times, owners, GNU's or pax headers."""
    unpacked(packed, tmp_path / "layout")
    for number, form in enumerate((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT)):
        other = tmp_path / f"{number}.tar"
        with tarfile.open(other, "w", format=form) as made:
            made.add(tmp_path / "layout", ".")
        assert import_archive(other, tmp_path / f"back{number}").new
        assert files_of(tmp_path / f"back{number}") == files_of(stored.layout.root)


def test_the_very_same_run_may_be_there_already(packed: Path, stored: RunFolder, tmp_path: Path) -> None:
    (stored.layout.root / "report.html").write_bytes(b"made again at will")
    assert not import_archive(packed, stored.layout.root).new
    assert (stored.layout.root / "report.html").exists()


@pytest.mark.parametrize("name", ["scores/stray", "manifest.json", "done/1/0"])
def test_a_damaged_copy_that_is_there_is_named(packed: Path, stored: RunFolder, name: str) -> None:
    path = stored.layout.root / name
    path.write_bytes(b"{}")
    with pytest.raises(StoreCorruptError, match=str(path)):
        import_archive(packed, stored.layout.root)


def test_another_run_or_state_is_never_touched(packed: Path, stored: RunFolder, tmp_path: Path) -> None:
    stored.write_observed("node", 2, {"load": 2})
    before = files_of(stored.layout.root)
    with pytest.raises(UsageError, match="holds another run, or another state of this one"):
        import_archive(packed, stored.layout.root)
    assert files_of(stored.layout.root) == before
    (tmp_path / "other").mkdir()
    for target in (tmp_path / "other", tmp_path / "other/.hidden"):
        (tmp_path / "other/.hidden").write_bytes(b"")
        with pytest.raises(UsageError, match="is there already and is no run folder"):
            import_archive(packed, target)
    nothing_left(tmp_path, "run", "packed.tar", "other")


def test_an_empty_folder_is_filled_also_through_a_link(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty")
    assert import_archive(packed, tmp_path / "link").new
    assert (tmp_path / "empty/manifest.json").exists()


def test_no_archive_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "packed.tar.gz").write_bytes(b"\x1f\x8b\x08\x00")
    (tmp_path / "README.md").write_text("# What this is\n" * 100)
    os.mkfifo(tmp_path / "fifo")
    for name, said in (
        ("none", "can't be read"),
        ("folder", "no file oci-layout"),
        ("packed.tar.gz", "is compressed by gzip"),
        ("README.md", "doesn't begin as a tar file does"),
        ("fifo", "is no plain file"),
    ):
        with pytest.raises(UsageError, match=said):
            import_archive(tmp_path / name, tmp_path / "back")
    assert not (tmp_path / "back").exists()


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data(), change=st.integers(1, 255))
def test_a_changed_byte_anywhere_is_found_and_named(
    packed: Path, tmp_path: Path, data: st.DataObject, change: int
) -> None:
    whole = packed.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = tmp_path / "damaged.tar"
    damaged.write_bytes(whole[:at] + bytes([whole[at] ^ change]) + whole[at + 1 :])
    with pytest.raises(StoreCorruptError, match=r"damaged\.tar"):
        import_archive(damaged, tmp_path / "back")
    nothing_left(tmp_path, "run", "packed.tar", "damaged.tar")


def test_each_changed_byte_of_what_no_digest_covers_is_found(packed: Path, tmp_path: Path) -> None:
    """The headers, the paddings, index.json, oci-layout and the end: all that stands outside the blobs."""
    whole, damaged = packed.read_bytes(), tmp_path / "damaged.tar"
    with tarfile.open(packed) as file:
        blobs = [each for each in file.getmembers() if each.name.startswith("blobs/")]
    covered = {at for each in blobs for at in range(each.offset_data, each.offset_data + each.size)}
    places = [at for at in range(len(whole)) if at not in covered]
    for at in random.Random(3).sample(places, 400):
        damaged.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
        with pytest.raises(StoreCorruptError, match=r"damaged\.tar"):
            import_archive(damaged, tmp_path / "back")
    nothing_left(tmp_path, "run", "packed.tar", "damaged.tar")


def test_a_changed_byte_in_a_layout_folder_is_found(packed: Path, stored: RunFolder, tmp_path: Path) -> None:
    archive(stored.layout.root, tmp_path / "layout", folder=True)
    for name, data in files_of(tmp_path / "layout").items():
        at = random.Random(name).randrange(len(data))
        (tmp_path / "layout" / name).write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(StoreCorruptError, match="layout"):
            import_archive(tmp_path / "layout", tmp_path / "back")
        (tmp_path / "layout" / name).write_bytes(data)
    assert import_archive(tmp_path / "layout", tmp_path / "back").new


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_an_archive_that_is_cut_short_is_found(packed: Path, tmp_path: Path, data: st.DataObject) -> None:
    whole = packed.read_bytes()
    (tmp_path / "cut.tar").write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(StoreCorruptError, match=r"cut\.tar"):
        import_archive(tmp_path / "cut.tar", tmp_path / "back")
    nothing_left(tmp_path, "run", "packed.tar", "cut.tar")


@pytest.mark.parametrize("size", [0, 1, 5, 9])
def test_the_first_bytes_of_an_archive_are_one_that_is_damaged(packed: Path, tmp_path: Path, size: int) -> None:
    (tmp_path / "cut.tar").write_bytes(packed.read_bytes()[:size])
    with pytest.raises(StoreCorruptError, match="cut short"):
        import_archive(tmp_path / "cut.tar", tmp_path / "back")


def test_what_the_store_finds_wrong_is_never_visible(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "verify", lambda run: [f"{run.layout.root}/done/1/0 is damaged."])
    with pytest.raises(StoreCorruptError) as raised:
        import_archive(packed, tmp_path / "back")
    assert str(raised.value) == f"{packed} holds a damaged run:\ndone/1/0 is damaged."
    nothing_left(tmp_path, "run", "packed.tar")


def test_a_full_disk_leaves_nothing(packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("harness.store.atomic.sync_filesystem", full)
    with pytest.raises(NoSpaceError, match="back"):
        import_archive(packed, tmp_path / "back")
    nothing_left(tmp_path, "run", "packed.tar")


def test_a_layout_of_several_images_is_read_no_further(packed: Path, tmp_path: Path) -> None:
    unpacked(packed, tmp_path / "layout")
    index = (tmp_path / "layout/index.json").read_text()
    entry = index[index.index("[") + 1 : index.index("]")]
    (tmp_path / "layout/index.json").write_text(index.replace(entry, f"{entry},{entry}"))
    with pytest.raises(StoreCorruptError, match="names 2 manifests"):
        import_archive(tmp_path / "layout", tmp_path / "back")


def test_memory_does_not_grow_with_the_archive(stored: RunFolder, tmp_path: Path) -> None:
    stored.blobs.put(bytes(48 * 2**20))
    archive(stored.layout.root, tmp_path / "large.tar")
    tracemalloc.start()
    import_archive(tmp_path / "large.tar", tmp_path / "back")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * 2**20


def killed_at(count: int, work: Callable[[], object]) -> None:
    """Do something, and die by SIGKILL before the ``count``-th file is opened, or (0) before the whole is renamed."""
    left, rename = iter(range(count, 0, -1)), Path.rename

    def dying(real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **options: object) -> object:
            if next(left, 0) == 1 or (count == 0 and real is rename):
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **options)

        return call

    Path.open, Path.rename, Path.mkdir = map(dying, (Path.open, Path.rename, Path.mkdir))  # type: ignore[assignment, method-assign]
    writing.open_plain = dying(writing.open_plain)  # type: ignore[assignment]
    work()


@pytest.mark.parametrize("kind", ["archive", "import"])
def test_a_kill_leaves_a_name_with_a_dot_or_the_whole(
    packed: Path, stored: RunFolder, tmp_path: Path, kind: str
) -> None:
    place, seen = tmp_path / "place", set()
    works: dict[str, Callable[[], object]] = {
        "archive": lambda: archive(stored.layout.root, place / "made"),
        "import": lambda: import_archive(packed, place / "made"),
    }
    for count in [0, 1, 2, 5, 15, 25, 35, 1000]:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        child = FORK.Process(target=killed_at, args=(count, works[kind]))
        child.start()
        child.join()
        left = [path.name for path in place.iterdir()]
        assert all(name == "made" or is_leftover(name) for name in left)
        seen |= {"made" if name == "made" else "leftover" for name in left}
        assert works[kind]().new == ("made" not in left)  # type: ignore[attr-defined]
        with contextlib.suppress(UsageError):
            assert verify(RunFolder.open(place / "made")) == []
        if kind == "archive":
            assert outer(place / "made") == outer(packed)
    assert seen == {"made", "leftover"}
