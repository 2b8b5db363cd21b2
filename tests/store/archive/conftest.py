"""A run folder with a file of each kind, and archives put together by hand."""

import hashlib
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.store.archive import descriptors
from harness.store.archive.archiving import archive
from harness.store.digests import digest
from harness.store.runfolder import RunFolder
from harness.store.score import Score
from harness.store.sealed import seal
from tests.store.conftest import LONG_NAME
from tests.store.whole import CALL

Files = dict[str, bytes]


@pytest.fixture(autouse=True)
def no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flushing is not what is tested here, and takes most of the time."""
    monkeypatch.setattr("os.fsync", lambda handle: None)
    monkeypatch.setattr("harness.store.atomic.sync_filesystem", lambda path: None)


@pytest.fixture
def stored(run: RunFolder, make_record: Callable[..., Any]) -> RunFolder:
    """Two rollouts (one with a long name), a masked attempt, a judge's call, a score, an observation, large blobs."""
    for task, name in (("1", "a"), (LONG_NAME, "b")):
        run.publish_done(run.write_attempt(make_record(run.blobs, task=task, run_id=name, steps=1)))
    run.write_attempt(make_record(run.blobs, task="2", masked=True, steps=1))
    run.grades.write_judge({"model": "judge", "messages": []}, CALL)
    run.grades.write_score(run.blobs.put(b"the scorer"), "1", 0, Score(reward=1.0).to_json())
    run.write_observed("node", 1, {"load": 1})
    (run.layout.root / "summary.json").write_bytes(seal({"reward": 1, "scorer": digest(b"the scorer")}))
    for number in range(3):
        run.blobs.put(bytes([number]) * (70_000 + number))
    return run


@pytest.fixture
def packed(stored: RunFolder, tmp_path: Path) -> Path:
    """Its archive."""
    archive(stored.layout.root, tmp_path / "packed.tar")
    return tmp_path / "packed.tar"


def files_of(root: Path) -> Files:
    """All files below a folder by their names, without the statement about them that an archive brings."""
    files = (path for path in root.rglob("*") if path.is_file() and path != root / "provenance.json")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def outer(packed: Path) -> Files:
    """The files of a tar by their names, as Python's own reader finds them."""
    with tarfile.open(packed, "r:") as file:
        files = [member for member in file.getmembers() if not member.isdir()]
        return {member.name: file.extractfile(member).read() for member in files}  # type: ignore[union-attr]


def unpacked(packed: Path, target: Path) -> None:
    """The files of a tar, written to a folder."""
    for name, data in outer(packed).items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(data)


def inner(data: bytes) -> Files:
    """The same of a tar in memory."""
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as file:
        return {member.name: file.extractfile(member).read() for member in file.getmembers()}  # type: ignore[union-attr]


def tar_of(files: Files, change: Callable[[tarfile.TarInfo], None] = lambda info: None) -> bytes:
    """A tar as Python writes it."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as file:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            change(info)
            file.addfile(info, io.BytesIO(data))
    return made.getvalue()


@attrs.define
class Forged:
    """An archive that is made anew after some part of it was changed, with digests that are right again."""

    layers: dict[str, bytes]  # by title
    manifest: dict[str, Any]

    @classmethod
    def of(cls, packed: Path) -> "Forged":
        files = outer(packed)
        name = json.loads(files["index.json"])["manifests"][0]["digest"].removeprefix("sha256:")
        manifest = json.loads(files[f"blobs/sha256/{name}"])
        layers = {
            each["annotations"]["org.opencontainers.image.title"]: files[
                "blobs/sha256/" + each["digest"].removeprefix("sha256:")
            ]
            for each in manifest["layers"]
        }
        return cls(layers, manifest)

    def files(self) -> Files:
        """The layout's files."""
        blobs = {f"blobs/sha256/{digest(data)}": data for data in (b"{}", *self.layers.values())}
        for layer in self.manifest["layers"]:
            data = self.layers.get(layer["annotations"]["org.opencontainers.image.title"])
            if data is not None:
                layer |= {"digest": f"sha256:{digest(data)}", "size": len(data)}
        data = json.dumps(self.manifest, separators=(",", ":"), sort_keys=True).encode()
        blobs[f"blobs/sha256/{hashlib.sha256(data).hexdigest()}"] = data
        layout = b'{"imageLayoutVersion":"1.0.0"}'
        return {**blobs, "index.json": descriptors.index(data), "oci-layout": layout}

    def write(self, path: Path) -> Path:
        """The archive as one tar file."""
        path.write_bytes(tar_of(self.files()))
        return path


@pytest.fixture
def forged(packed: Path) -> Forged:
    return Forged.of(packed)


def nothing_left(folder: Path, *expected: str) -> None:
    """Only what was there before is in a folder, names with a dot among it."""
    assert sorted(path.name for path in folder.iterdir()) == sorted(expected)
