"""Hostile files and trees at each place that reads them: refused with these words, or read with this result."""

import json
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.store.digests import file_digest
from harness.store.runfolder import RunFolder
from tests.hostile import trees
from tests.hostile.conftest import Reader
from tests.hostile.trees import Case
from tests.store.archive.conftest import Forged


def expected(case: Case, found: dict[str, Any], result: Callable[[Any], Any] = lambda read: read) -> None:
    if case.refused:
        assert re.search(case.refused, found["refused"])
    else:
        assert result(found["read"]) == case.read


@pytest.mark.parametrize("name", trees.OUTPUTS)
def test_an_output_of_a_sandbox(read: Reader, tmp_path: Path, name: str) -> None:
    (tmp_path / "box/out0").mkdir(parents=True)
    trees.OUTPUTS[name].make(tmp_path / "box/out0/data")
    expected(trees.OUTPUTS[name], read("outputs", tmp_path / "box/out0/data"), lambda read: read[0])


def test_an_output_that_grows_while_it_is_read(read: Reader, tmp_path: Path) -> None:
    path, over = tmp_path / "box/out0/data", threading.Event()
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")

    def grow() -> None:
        with path.open("ab", buffering=0) as file:
            while not over.is_set() and file.tell() < 200 << 20:
                file.write(bytes(1 << 20))

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        sizes = [read("outputs", path)["read"][0] for _ in range(5)]
    finally:
        over.set()
        writer.join()
    assert max(sizes) <= 32 << 20


@pytest.mark.parametrize("name", trees.EVENTS)
def test_the_events_of_an_agent(read: Reader, tmp_path: Path, name: str) -> None:
    (tmp_path / "box/out0").mkdir(parents=True)
    trees.EVENTS[name].make(tmp_path / "box/out0/data")
    expected(trees.EVENTS[name], read("events", tmp_path / "box/out0/data"))


def a_record(run: RunFolder) -> Path:
    return next(path for path in run.layout.attempts.glob("1/0/*.json"))


# In place of the record that counts.
IN_PLACE: dict[str, Case] = {
    "a FIFO": Case(os.mkfifo, "is no plain file"),
    "a socket": Case(trees.unix_socket, "is no plain file"),
    "a link to a file outside": Case(trees.link, "is no plain file"),
    "a link to a device": Case(trees.endless, "is no plain file"),
    "a folder": Case(Path.mkdir, "is no plain file|can't be read"),
    "a sparse file of 8 TiB": Case(trees.sparse(8 << 40), "it has 8,796,093,022,208 bytes; at most"),
    "values without end": Case(trees.plain(b"[" + b"{}," * 7_000_000 + b"{}]"), "more values than the harness reads"),
    "a text of 15 MiB, which takes 60": Case(
        trees.plain(b'"' + b"x" * (15 << 20) + b'\xf0\x9f\x98\x80"'), "is damaged"
    ),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_record_of_a_run(read: Reader, stored: RunFolder, name: str) -> None:
    path = a_record(stored)
    path.unlink()
    IN_PLACE[name].make(path)
    if path.is_file() and not path.is_symlink() and path.stat().st_size < 1 << 30:
        path.rename(path.with_name(f"x-{file_digest(path)}.json"))  # so that its name is right
    expected(IN_PLACE[name], read("verify", stored.layout.root))


def test_a_run_as_it_is(read: Reader, stored: RunFolder) -> None:
    assert read("verify", stored.layout.root)["read"] == 2
    assert read("gc", stored.layout.root)["read"] > 0  # blobs that nothing names
    assert read("archive", stored.layout.root)["read"] is True


def test_a_sparse_blob(read: Reader, stored: RunFolder) -> None:
    trees.sparse(8 << 40)(stored.blobs.folder / ("0" * 64))
    assert "at most 369,098,752 are read" in read("verify", stored.layout.root)["refused"]
    assert "a file has 8,796,093,022,208 bytes" in read("gc", stored.layout.root)["refused"]


@pytest.mark.parametrize("site", ["verify", "gc", "archive"])
def test_folders_nested_without_end(read: Reader, stored: RunFolder, site: str) -> None:
    trees.deep(stored.layout.scores / "deep", 3000)
    found = read(site, stored.layout.root)
    assert re.search("nested more than 8 deep|doesn't belong into a run folder|a name is too long", found["refused"])
    read("remove", stored.layout.scores / "deep")  # pytest's own removal would not end


@pytest.mark.parametrize("site", ["verify", "gc", "archive"])
@pytest.mark.parametrize("where", ["observed", "blobs/sha256", "attempts/1/0", "judge", "scores"])
def test_entries_without_end(read_little: Reader, stored: RunFolder, site: str, where: str) -> None:
    trees.many(stored.layout.root / where, 1001 if site == "verify" else 3001)
    found = read_little(site, stored.layout.root)
    assert re.search("more than [13],000 files and folders|doesn't belong into a run folder", found["refused"])


def test_names_that_move_the_cursor_or_are_no_text(read: Reader, stored: RunFolder) -> None:
    for name in (b"\x1b[2J", b"\xff\xfe", "\u202eexe".encode(), b"a\nb"):
        (Path(os.fsdecode(os.fsencode(stored.layout.observed) + b"/" + name))).write_bytes(b"{}")
    said = read("verify", stored.layout.root)["refused"]
    assert all(shown in said for shown in (r"\x1b[2J", r"\udcff\udcfe", r"\u202eexe"))
    assert said.isprintable() or said.replace("\n", "").isprintable()


def layout(forged: Forged, path: Path) -> Path:
    for name, data in forged.files().items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


def manifest_of(path: Path) -> Path:
    named = json.loads((path / "index.json").read_bytes())["manifests"][0]["digest"]
    return path / "blobs/sha256" / named.removeprefix("sha256:")


def test_a_layout_beside_which_other_things_lie(read: Reader, forged: Forged, tmp_path: Path) -> None:
    """Only what its index leads to is read."""
    path = layout(forged, tmp_path / "place/layout")
    trees.many(path / "blobs/sha256", 5000)
    trees.link(path / "link")
    os.mkfifo(path / "blobs/fifo")
    (path / os.fsdecode(b"\xff")).mkdir()
    assert read("import", path)["read"] == 2


LAYOUT: dict[str, tuple[Callable[[Path], Path], Case]] = {
    "a link": (manifest_of, Case(trees.link, "it is a symbolic link")),
    "a FIFO": (manifest_of, Case(os.mkfifo, "it is a FIFO")),
    "a socket": (lambda path: path / "oci-layout", Case(trees.unix_socket, "it is a socket")),
    "a folder": (lambda path: path / "index.json", Case(Path.mkdir, "it is a folder")),
    "a hard link to a file outside": (manifest_of, Case(trees.hard_link, "has 7 bytes, not")),
    "a sparse file": (lambda path: path / "index.json", Case(trees.sparse(8 << 40), "has 8796093022208 bytes")),
}


@pytest.mark.parametrize("name", LAYOUT)
def test_in_a_layout(read: Reader, forged: Forged, tmp_path: Path, name: str) -> None:
    path = layout(forged, tmp_path / "place/layout")
    where, case = LAYOUT[name]
    place = where(path)
    place.unlink()
    case.make(place)
    expected(case, read("import", path))


def test_a_link_in_place_of_a_layouts_blobs(read: Reader, forged: Forged, tmp_path: Path) -> None:
    path = layout(forged, tmp_path / "place/layout")
    (path / "blobs").rename(tmp_path / "elsewhere")
    (path / "blobs").symlink_to(tmp_path / "elsewhere")
    assert "Not a directory" in read("import", path)["refused"]


@pytest.mark.parametrize("site", ["import", "data"])
def test_a_path_that_leads_to_a_device_or_a_pipe(read: Reader, tmp_path: Path, site: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (Path("/dev/zero"), tmp_path / "fifo"):
        if site == "import" or path.name == "fifo":
            assert "no plain file" in read(site, path)["refused"]
