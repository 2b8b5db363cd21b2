"""What a check finds; it writes nothing and deletes nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.run import scorers
from harness.store.runfolder import RunFolder

Check = Callable[..., list[tuple[str, str]]]
Files = Callable[[RunFolder], dict[str, bytes]]


@pytest.fixture
def scores(run: RunFolder) -> Path:
    name = scorers.current(run)
    assert name is not None
    return run.layout.scores / name


def test_a_run_as_it_was_left_is_as_it_should_be(run: RunFolder, check: Check, files: Files) -> None:
    before = files(run)
    assert check(run) == []
    assert files(run) == before


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("2/1.json", b"{}", "differs"),
        ("2/1.json", None, "missing"),
        ("2/77.json", b"{}", "extra"),
        ("2/deeper/1.json", b"{}", "extra"),
        ("no-task/0.json", b"{}", "extra"),
        ("stray.txt", b"", "extra"),
        ("../stray", b"", "extra"),
        (f"../{'a' * 64}/1/0.json", b"{}", "extra"),
        ("../../summary.json", b"{}", "differs"),
        ("../../summary.json", None, "missing"),
    ],
)
def test_a_difference_is_named_and_left(
    run: RunFolder, scores: Path, check: Check, files: Files, name: str, data: bytes | None, what: str
) -> None:
    path = (scores / name).resolve()
    if data is None:
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    before = files(run)
    ((found, said),) = check(run)
    assert said == what
    assert path == run.layout.root / found or (run.layout.root / found) in path.parents
    assert files(run) == before


def test_differences_are_in_the_order_of_their_paths(run: RunFolder, scores: Path, check: Check) -> None:
    for name in ("9/0.json", "10/0.json", "2/1.json"):
        (scores / name).unlink()
    found = check(run)
    assert [path.removeprefix(f"scores/{scores.name}/") for path, _ in found] == ["10/0.json", "2/1.json", "9/0.json"]


def test_unfinished_files_are_passed_over(run: RunFolder, scores: Path, check: Check) -> None:
    (scores / "2" / ".0123456789abcdef").write_bytes(b"half")
    assert check(run) == []


def test_another_scorer_is_checked_where_it_is_asked_for(run: RunFolder, check: Check) -> None:
    found = check(run, {"judge_temperature": "0.5"})
    assert {what for _, what in found} == {"missing", "differs"}
    assert ("summary.json", "differs") in found
