"""docs/format.md says enough of a run folder to read it: its own reader does, and it names every key."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.benchmarks.own.taskset import Kept
from harness.store.digests import Digest, parse_digest
from harness.store.replay import Replay
from harness.store.runfolder import RunFolder
from tests.docs.documents import DOCS, Page
from tests.synthetic import Shape, make

PAGE = Page.read(DOCS / "format.md")
OWNERS = {
    "agent",
    "artifacts",
    "code",
    "judge",
    "limits",
    "prompts",
    "request",
    "sampling",
}  # what is in them is their owners' affair


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    path = tmp_path_factory.mktemp("format") / "R"
    make(path, Shape(rollouts=6, tasks=6, calls=3))
    return RunFolder.open(path)


@pytest.fixture(scope="module")
def reader() -> dict[str, Any]:
    """What the page's program defines."""
    ((_, program),) = PAGE.fences("python")
    names: dict[str, Any] = {}
    exec(program, names)
    return names


def test_the_reader_gives_every_body_as_it_came(run: RunFolder, reader: dict[str, Any]) -> None:
    root, seen = run.layout.root, 0
    for done in run.dones():
        replay = Replay(run.rollout(done), run.blobs)
        for index, pair in enumerate(reader["bodies"](root, reader["counted"](root, done.task, done.repeat))):
            assert pair == (replay.request(index), replay.answer(index))
            seen += 1
    assert seen >= 12


def test_the_reader_notices_a_changed_byte(run: RunFolder, reader: dict[str, Any], tmp_path: Path) -> None:
    done = next(iter(run.dones()))
    there = run.layout.done(done.task, done.repeat)
    (tmp_path / "done").write_bytes(there.read_bytes().replace(b'"repeat":0', b'"repeat":1'))
    with pytest.raises(AssertionError):
        reader["sealed"](tmp_path / "done")


def test_the_page_names_every_key_of_every_file(run: RunFolder) -> None:
    pages = (PAGE, *(Page.read(DOCS / name) for name in ("egress.md", "grading.md")))  # it leads to their tables
    named = {word for page in pages for _, span in page.spans() for word in re.findall(r"\w+", span)}
    kept = {key for path in files(run) for key in keys(json.loads(path.read_bytes()))}
    kept |= {key for name in (run.manifest.tasks, *scorers(run)) for key in keys(json.loads(run.blobs.get(name)))}
    kept |= {field.name for field in attrs.fields(Kept)}
    assert sorted(kept - named) == []


def scorers(run: RunFolder) -> list[Digest]:
    """The blobs of the scorers' descriptions."""
    return [parse_digest(path.name) for path in run.layout.scores.iterdir()]


def files(run: RunFolder) -> Iterator[Path]:
    """Every JSON file but the summary, and observed/, which holds what its writer pleases."""
    layout = run.layout
    yield layout.manifest
    for folder in (layout.attempts, layout.judge, layout.scores):
        yield from folder.rglob("*.json")
    yield from (path for path in layout.dones.rglob("*") if path.is_file())


def keys(value: Any, owner: str = "") -> Iterator[str]:
    """The keys of an object and of those in it."""
    if isinstance(value, list):
        for item in value:
            yield from keys(item, owner)
    elif isinstance(value, dict) and owner not in OWNERS:
        for key, inner in value.items():
            yield key
            yield from keys(inner, key)
