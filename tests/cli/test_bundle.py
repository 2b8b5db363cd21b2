"""``harness bundle``: what it prints, and what it refuses before it writes."""

import json
from pathlib import Path

import attrs
import pytest

from harness.cli.main import run
from harness.pins.storepaths import StorePath
from harness.run import bundling
from harness.store.bundle import bundling as writing
from harness.store.bundle.bundling import Bundled
from harness.store.bundle.contents import Contents, DataFile
from harness.store.digests import digest
from tests.schemas import check

HARNESS, SOURCE = (f"/nix/store/{sign * 32}-x" for sign in "12")
CONTENTS = Contents(
    harness=HARNESS,
    source=SOURCE,
    pins=None,
    paths=(StorePath(HARNESS, "0" * 64, 3 << 20, (HARNESS,)), StorePath(SOURCE, "0" * 64, 1 << 20, ())),
)


@attrs.define
class Asked:
    """What was gathered for, and whether anything was written."""

    source: Path | None = None
    data_dir: Path | None = None
    pins: bool = False
    target: Path | None = None


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Asked:
    seen = Asked()

    def gather(source: Path, data_dir: Path | None, *, pins: bool) -> Contents:
        seen.source, seen.data_dir, seen.pins = source, data_dir, pins
        data = () if data_dir is None else (DataFile("babyvision/zip.json", data_dir, 1 << 19),)
        return attrs.evolve(CONTENTS, data=data)

    def bundle(contents: Contents, target: Path, say: bundling.Say) -> Bundled:
        seen.target = target
        say("packing it")
        return Bundled(digest(b"the bundle"), 2 << 20, new=True)

    monkeypatch.setattr(bundling, "gather", gather)
    monkeypatch.setattr(writing, "bundle", bundle)
    monkeypatch.setenv("HARNESS_DATA_DIR", str(tmp_path))
    return seen


def test_sizes_come_first_and_the_digest_last(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bundle", "b.tar"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "harness and sandbox        3.0 MiB in 1 store path",
        "source                     1.0 MiB in 1 store path",
        "packing it",
        f"b.tar: 2.0 MiB; sha256 {digest(b'the bundle')}",
        "On the other machine: tar -xf b.tar && sh hermetic-harness/install",
    ]
    assert asked == Asked(Path(), None, pins=False, target=Path("b.tar").absolute())


def test_pins_and_data_are_asked_for(asked: Asked, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bundle", "b.tar", "--pins", "--data", "--source", "S", "--json"]) == 0
    found = check("bundle", json.loads(capsys.readouterr().out))
    assert asked == Asked(Path("S"), tmp_path, pins=True, target=Path("b.tar").absolute())
    assert (found["bundle"], found["bytes"], found["sha256"]) == ("b.tar", 2 << 20, digest(b"the bundle"))
    assert found["parts"]["data"] == {"count": 1, "bytes": 1 << 19}


def test_a_folder_without_a_flake_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("harness.pins.storepaths.own", lambda: Path(HARNESS))
    assert run(["bundle", str(tmp_path / "b.tar"), "--source", str(tmp_path)]) == 2
    assert "it has no flake.nix. Name one with --source DIR." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
