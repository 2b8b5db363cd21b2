"""Archives that somebody made to do harm: each is refused, and nothing is written where it shouldn't be."""

import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.errors import StoreCorruptError
from harness.store.archive import sources, tar
from harness.store.archive.importing import import_archive
from harness.store.foreign import headers, tars
from tests.store.archive.conftest import Forged, files_of, nothing_left, tar_of

ANYWHERE = "blobs/sha256/" + "0" * 64


def refused(path: Path, said: str) -> None:
    """It is refused by the digest check or by what comes before it, and nothing is left behind."""
    before = sorted(each.name for each in path.parent.iterdir())
    with pytest.raises(StoreCorruptError, match=said):
        import_archive(path, path.parent / "back")
    nothing_left(path.parent, *before)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    (tmp_path / "place").mkdir()
    return tmp_path / "place" / "hostile.tar"


def test_what_is_forged_without_change_is_taken(forged: Forged, hostile: Path, stored: Any) -> None:
    """Else the tests below would show nothing."""
    import_archive(forged.write(hostile), hostile.parent / "back")
    assert files_of(hostile.parent / "back") == files_of(stored.layout.root)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../x", "blobs/../../x", "blobs/sha256/../x", "x", "blobs/sha512/x", "./.", "blobs", "a\n"]
)
def test_a_name_that_no_layout_has_is_refused(forged: Forged, hostile: Path, name: str) -> None:
    hostile.write_bytes(tar_of({**forged.files(), name: b"x"}))
    refused(hostile, "which no OCI image layout has|which leads out of it")


KINDS = {
    "a hard link": tarfile.LNKTYPE,
    "a symbolic link": tarfile.SYMTYPE,
    "a character device": tarfile.CHRTYPE,
    "a block device": tarfile.BLKTYPE,
    "a FIFO": tarfile.FIFOTYPE,
    "a sparse file": tarfile.GNUTYPE_SPARSE,
    "of type b'7'": tarfile.CONTTYPE,
    "of type b'L'": tarfile.GNUTYPE_LONGNAME,
    "of type b'g'": tarfile.XGLTYPE,
}


def turned(kind: bytes) -> Callable[[tarfile.TarInfo], None]:
    def change(info: tarfile.TarInfo) -> None:
        if info.name in (ANYWHERE, "done/1/9"):
            info.type, info.linkname = kind, "/etc/passwd"

    return change


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_but_files_stands_in_the_archive(forged: Forged, hostile: Path, kind: str) -> None:
    hostile.write_bytes(tar_of({**forged.files(), ANYWHERE: b""}, turned(KINDS[kind])))
    refused(hostile, f"which is {kind}")


@pytest.mark.parametrize("kind", [*KINDS, "a folder"])
def test_nothing_but_files_stands_in_its_layers(forged: Forged, hostile: Path, kind: str) -> None:
    flag = {**KINDS, "a folder": tarfile.DIRTYPE}[kind]
    forged.layers["records.tar"] = tar_of({"done/1/9": b""}, turned(flag))
    refused(forged.write(hostile), "which no run folder has|which is ")


@pytest.mark.parametrize(
    "name",
    [
        "/etc/cron.d/x",
        "../x",
        "done/../../x",
        "done/1/..",
        "done//0",
        "./manifest.json",
        "done/.x/0",
        "done/1/.0123456789abcdef",
        "done/1/0/0",
        "attempts/1/0.json",
        "report.html",
        "x",
        "observed/a b.json",
        "observed/" + "n" * 256,
        "blobs/sha256/" + "0" * 64,
        ".git/config",
    ],
)
def test_a_name_that_no_run_has_is_refused(forged: Forged, hostile: Path, name: str) -> None:
    forged.layers["records.tar"] = tar.header(name, 1) + b"x" + bytes(511) + tar.END
    refused(forged.write(hostile), "which no run folder has|which leads out of it|a name is too long")


@pytest.mark.parametrize("name", ["manifest.json", "blobs/sha256/x", "../x", "blobs/sha256/" + "A" * 64])
def test_only_blobs_stand_among_blobs(forged: Forged, hostile: Path, name: str) -> None:
    forged.layers["blobs.tar"] = tar.header(name, 0) + tar.END
    refused(forged.write(hostile), "which no run folder has|which leads out of it")


def test_a_name_that_stands_twice_is_refused(forged: Forged, hostile: Path) -> None:
    one = tar.header("done/1/0", 0)
    forged.layers["records.tar"] = one + one + tar.END
    refused(forged.write(hostile), "holds 'done/1/0' twice")
    whole = tar_of(forged.files())
    hostile.write_bytes(tar.header("index.json", 0) + whole)
    refused(hostile, "holds 'index.json' twice")


def test_a_blob_that_stands_in_two_layers_is_refused(forged: Forged, hostile: Path) -> None:
    title, data = next((title, data) for title, data in forged.layers.items() if title.startswith("blobs/"))
    forged.layers["blobs.tar"] = tar.header(title, len(data)) + data + tar.padding(len(data)) + tar.END
    refused(forged.write(hostile), "twice")


def test_a_blob_of_other_bytes_is_refused(forged: Forged, hostile: Path) -> None:
    forged.layers["blobs.tar"] = tar.header(ANYWHERE, 1) + b"x" + bytes(511) + tar.END
    refused(forged.write(hostile), f"blob {ANYWHERE} was changed|holds a damaged run")


def test_a_layer_in_another_form_is_refused(forged: Forged, hostile: Path) -> None:
    """Owners, modes and times that nobody looks at could carry anything."""
    forged.layers["records.tar"] = tar_of({"done/1/0": b"{}"}, lambda info: setattr(info, "mtime", 1))
    refused(forged.write(hostile), "is not as the harness writes it")


def test_bytes_after_the_end_are_refused(forged: Forged, hostile: Path) -> None:
    forged.write(hostile)
    with hostile.open("ab") as file:
        file.write(b"x" * 512)
    refused(hostile, "zeros were to stand there")
    forged.write(hostile)
    os.truncate(hostile, hostile.stat().st_size + tars._TAIL_MAX)
    refused(hostile, "bytes follow its end")


def test_a_blob_that_the_manifest_does_not_name_is_refused(forged: Forged, hostile: Path) -> None:
    hostile.write_bytes(tar_of({**forged.files(), ANYWHERE: b"x"}))
    refused(hostile, f"holds {ANYWHERE}, which its manifest doesn't name")


def test_too_many_files_are_refused(forged: Forged, hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = forged.files()
    monkeypatch.setattr(sources, "LIMITS", attrs.evolve(sources.LIMITS, entries=len(files)))
    import_archive(forged.write(hostile), hostile.parent / "back")
    hostile.write_bytes(tar_of({ANYWHERE: b"x", **files}))
    refused(hostile, "more than is read: there are more than")


@pytest.mark.parametrize("size", [8**11 - 1, 10**18])
def test_a_size_beyond_the_file_is_refused(hostile: Path, size: int) -> None:
    hostile.write_bytes(tar.header(ANYWHERE, size) + b"x")
    refused(hostile, "is cut short|a file has 1,000,000,000,000,000,000 bytes")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (tar._block(b"x", 2**20, headers.PAX), "a pax header of 1048576 bytes"),
        (tar._block(b"x", 12, headers.PAX) + b"12 size=abc\n" + bytes(500) + tar.header("x", 0), "a size of 'abc'"),
        (tar._block(b"x", 11, headers.PAX) + b"11 size=-1\n" + bytes(501) + tar.header("x", 0), "a size of '-1'"),
        (tar._block(b"x", 3, headers.PAX) + b"abc" + bytes(509) + tar.header("x", 0), "pax header there is damaged"),
        (tar._block(b"x", 9, headers.PAX) + b"9 path=a\n" + b"\1" * 503 + tar.header("x", 0), "zeros were to stand"),
        (tar._block(b"blobs", 5, headers.FOLDER), "which is a folder"),
        (b"blobs\x89PNG".ljust(2000, b"x"), "no tar header stands there"),
    ],
)
def test_a_header_that_lies_is_refused(hostile: Path, header: bytes, said: str) -> None:
    hostile.write_bytes(header + tar.END)
    refused(hostile, said)


Change = Callable[[dict[str, Any]], object]
CHANGES: dict[str, Change] = {
    "another artifact": lambda value: value.update(artifactType="application/x"),
    "no artifact": lambda value: value.pop("artifactType"),
    "a field more": lambda value: value.update(subject={}),
    "another config": lambda value: value["config"].update(mediaType="application/x"),
    "a layer's type": lambda value: value["layers"][0].update(mediaType="application/vnd.oci.image.layer.v1.tar"),
    "a layer's address": lambda value: value["layers"][0].update(urls=["ftp://192.0.2.1/x"]),
    "a layer's title": lambda value: value["layers"][2]["annotations"].update(
        {"org.opencontainers.image.title": "../../x"}
    ),
    "the layers' order": lambda value: value["layers"].reverse(),
    "a layer twice": lambda value: value["layers"].append(value["layers"][-1]),
    "no layers": lambda value: value["layers"].clear(),
    "a digest that is a path": lambda value: value["layers"][2].update(digest="sha256:../../../etc/passwd"),
    "another algorithm": lambda value: value["layers"][2].update(digest="sha512:" + "0" * 64),
    "no number": lambda value: value["annotations"].update({"vnd.hermetic-harness.rollouts": "9" * 5000}),
    "an annotation more": lambda value: value["annotations"].update(x="y"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_manifest_of_another_form_is_refused(forged: Forged, hostile: Path, change: str) -> None:
    CHANGES[change](forged.manifest)
    if change in ("a layer's title", "a digest that is a path", "another algorithm"):
        forged.layers = {title: data for title, data in forged.layers.items() if title.endswith(".tar")}
    refused(forged.write(hostile), "is damaged|holds no run")


@pytest.mark.parametrize(
    ("name", "value"), [("benchmark", "other"), ("model", "other"), ("rollouts", "3"), ("content", "0" * 64)]
)
def test_annotations_that_lie_are_refused(forged: Forged, hostile: Path, name: str, value: str) -> None:
    forged.manifest["annotations"]["vnd.hermetic-harness." + name] = value
    refused(forged.write(hostile), "holds another run than its annotations say")


def test_a_run_that_is_no_whole_run_is_refused(forged: Forged, hostile: Path) -> None:
    for title in ("records.tar", "blobs.tar"):
        data = forged.layers[title]
        forged.layers[title] = tar.END
        refused(forged.write(hostile), "holds a damaged run")
        forged.layers[title] = data


@pytest.mark.parametrize("name", ["index.json", "oci-layout"])
def test_a_layout_of_another_form_is_refused(forged: Forged, hostile: Path, name: str) -> None:
    files = forged.files()
    value = json.loads(files[name])
    for changed in (b"", b"{}", b"[]", b"\xff", b"[" * 100_000, json.dumps({**value, "x": 1}).encode()):
        hostile.write_bytes(tar_of({**files, name: changed}))
        refused(hostile, f"{name} is damaged")
    del files[name]
    hostile.write_bytes(tar_of(files))
    refused(hostile, f"lacks {name}")


def test_an_index_can_not_lead_out_of_the_layout(forged: Forged, hostile: Path) -> None:
    files = forged.files()
    index = json.loads(files["index.json"])
    for digest, size in (("sha256:../../../../etc/passwd", 1), ("sha256:" + "0" * 64, 2**40)):
        index["manifests"][0] |= {"digest": digest, "size": size}
        hostile.write_bytes(tar_of({**files, "index.json": json.dumps(index).encode()}))
        refused(hostile, "is damaged|are allowed")


def test_a_link_or_a_pipe_in_a_layout_folder_is_refused(forged: Forged, tmp_path: Path) -> None:
    layout = tmp_path / "layout"
    for name, data in forged.files().items():
        (layout / name).parent.mkdir(parents=True, exist_ok=True)
        (layout / name).write_bytes(data)
    index = (layout / "index.json").read_bytes()
    (tmp_path / "elsewhere").write_bytes(index)
    (layout / "index.json").unlink()
    (layout / "index.json").symlink_to(tmp_path / "elsewhere")
    refused(layout, "index.json: it is a symbolic link, and no plain file")
    (layout / "index.json").unlink()
    os.mkfifo(layout / "index.json")
    refused(layout, "index.json: it is a FIFO, and no plain file")
