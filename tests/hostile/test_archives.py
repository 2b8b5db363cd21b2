"""Hostile archives at ``harness import``: each is refused with these words, or read with this result."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.store.manifest import Manifest
from harness.store.runfolder import RunFolder
from tests.hostile.archives import CASES, layer, many
from tests.hostile.conftest import Reader
from tests.store.archive.conftest import Forged
from tests.store.conftest import TASK_SET


@pytest.mark.parametrize("name", CASES)
def test_an_archive(read: Reader, forged: Forged, tmp_path: Path, name: str) -> None:
    case, path = CASES[name], tmp_path / "place/hostile.tar"
    path.parent.mkdir()
    case.make(forged, path)
    found = read("import", path)
    if case.refused:
        assert re.search(case.refused, found["refused"])
        assert found["status"] == (2 if re.search("compressed|no archive", case.refused) else 5)
        assert [each.name for each in path.parent.iterdir()] == [path.name]
    else:
        assert found["read"] == case.read
    assert not (tmp_path / "x").exists()


def test_a_layer_of_too_many_files(read_little: Reader, forged: Forged, tmp_path: Path) -> None:
    layer("records.tar", many(1001))(forged, tmp_path / "hostile.tar")
    assert "there are more than 1,000 files" in read_little("import", tmp_path / "hostile.tar")["refused"]


def test_tasks_whose_names_differ_in_case_only_are_two(
    read: Reader, manifest: Manifest, make_record: Callable[..., Any], tmp_path: Path
) -> None:
    names = ["A", "a"]
    planned = attrs.evolve(manifest, plan={"tasks": names, "repeats": 1})
    run = RunFolder.create(tmp_path / "place/run", planned, TASK_SET)
    for task in names:
        run.publish_done(run.write_attempt(make_record(run.blobs, task=task, steps=1)))
    assert read("archive", run.layout.root)["read"] is True
    assert read("import", tmp_path / "place/made.tar")["read"] == 2
