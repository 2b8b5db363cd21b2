"""Where a report goes: it appears whole, and takes nobody's files away."""

import errno
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import HarnessError, NoSpaceError, StoreCorruptError, UsageError
from harness.report.export.files import Output
from harness.report.html import writing
from harness.report.html.making import Wanted, make
from harness.run.rows import Looked
from tests.report.html.pages import Page, read
from tests.report.runs import Made, made


@pytest.fixture
def root(run: Made) -> Path:
    run.answered("1", "7", 1.0)
    return run.run.layout.root


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_usual_place_is_in_the_run_folder_and_an_old_report_goes(root: Path) -> None:
    (root / "report.html").write_text("old")
    found = make(root, Wanted())
    assert found["path"] == str(root / "report.html")
    assert found["bytes"] == (root / "report.html").stat().st_size
    assert read(root / "report.html").startswith("<!DOCTYPE html>")


def test_another_file_is_not_replaced_unless_that_is_asked_for(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.html"
    out.write_text("mine")
    with pytest.raises(UsageError, match="holds something else"):
        make(root, Wanted(out=out))
    assert out.read_text() == "mine"
    make(root, Wanted(out=out, replace=True))
    assert out.read_text() != "mine"


def test_a_folder_s_place_is_not_taken_by_a_file(root: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        make(root, Wanted(out=tmp_path / "there"))


@pytest.mark.parametrize("wanted", ["page.html", "blobs/page.html"])
def test_nothing_else_comes_into_the_run_folder(root: Path, wanted: str) -> None:
    with pytest.raises(UsageError, match="is in the run folder"):
        make(root, Wanted(out=root / wanted))
    with pytest.raises(UsageError, match="is in the run folder"):
        make(root, Wanted(assets=root / wanted))


def test_a_link_or_a_pipe_in_its_place_is_said_and_stays(root: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    for make_it, kind in ((lambda path: path.symlink_to(mine), "a symbolic link"), (os.mkfifo, "a FIFO")):
        make_it(root / "report.html")
        with pytest.raises(UsageError, match=f"is {kind}, and no plain file"):
            make(root, Wanted(replace=True))
        (root / "report.html").unlink()
    assert mine.read_text() == "mine"
    assert names(tmp_path) == ["R", "mine"]


def test_the_folder_that_one_is_in_is_not_taken(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pages").mkdir()
    monkeypatch.chdir(tmp_path / "pages")
    for name in (".", str(tmp_path / "pages")):
        with pytest.raises(UsageError, match="is the folder you are in"):
            make(root, Wanted(assets=Path(name)))


def test_a_file_and_a_folder_are_not_asked_for_together(root: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give one of them"):
        make(root, Wanted(out=tmp_path / "a", assets=tmp_path / "b"))


@pytest.mark.parametrize("wanted", [{"out": "page.html"}, {"assets": "pages"}])
def test_how_far_it_is_is_told(root: Path, tmp_path: Path, wanted: dict[str, str]) -> None:
    heard: list[tuple[int, int]] = []
    paths = {name: tmp_path / value for name, value in wanted.items()}
    make(root, Wanted(**paths), lambda done, planned: heard.append((done, planned)))
    assert heard == [(0, 3), (1, 3), (2, 3)]


def test_a_folder_has_the_pages_and_the_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "PAGE_SIZE", 2)
    run = made(tmp_path / "R", {str(task): "7" for task in range(1, 6)})
    for task in ("1", "2", "5"):
        run.answered(task, "7", 1.0)
    found = make(run.run.layout.root, Wanted(assets=tmp_path / "pages"))
    assert (found["pages"], found["rollouts"], found["images"]) == (4, 5, 1)
    assert names(tmp_path / "pages") == ["images", "index.html", *(f"rollouts-{n}.html" for n in (1, 2, 3))]
    assert len(names(tmp_path / "pages" / "images")) == 1
    index = Page(read(tmp_path / "pages" / "index.html"))
    assert json.loads(index.blocks["index"])["pages"] == [f"rollouts-{n}.html" for n in (1, 1, 2, 2, 3)]
    assert [name for name in index.blocks if name != "index"] == []
    last = Page(read(tmp_path / "pages" / "rollouts-3.html"))
    assert [row.attributes["data-task"] for row in last.rows] == ["5"]
    about = json.loads(last.blocks["index"])
    assert (about["previous"], about["following"], about["index"]) == ("rollouts-2.html", "", "index.html")
    assert last.rollout(0)["gold"] == "7"


def test_pages_of_a_folder_may_show_images_beside_them(root: Path, tmp_path: Path) -> None:
    make(root, Wanted(assets=tmp_path / "pages"))
    assert "img-src data: 'self';" in read(tmp_path / "pages" / "rollouts-1.html").replace("&#39;", "'")


def test_equal_runs_give_equal_folders(root: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        make(root, Wanted(assets=tmp_path / name))
    assert [(tmp_path / "a" / name).read_bytes() for name in ("index.html", "rollouts-1.html")] == [
        (tmp_path / "b" / name).read_bytes() for name in ("index.html", "rollouts-1.html")
    ]


def test_a_folder_with_anything_else_in_it_is_left_alone(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    make(root, Wanted(assets=folder))
    (folder / "notes.txt").write_text("mine")
    before = names(folder)
    with pytest.raises(UsageError, match="holds other files"):
        make(root, Wanted(assets=folder, replace=True))
    assert names(folder) == before
    assert names(tmp_path) == ["R", "mine"]


@pytest.mark.parametrize("name", ["images/mine.png", "rollouts-mine.html"])
def test_files_that_look_like_a_report_s_are_left_alone(root: Path, tmp_path: Path, name: str) -> None:
    make(root, Wanted(assets=tmp_path / "pages"))
    (tmp_path / "pages" / name).write_text("mine")
    with pytest.raises(UsageError, match="holds other files"):
        make(root, Wanted(assets=tmp_path / "pages", replace=True))
    assert (tmp_path / "pages" / name).read_text() == "mine"


def test_a_page_of_somebody_else_is_left_alone(root: Path, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<!DOCTYPE html><title>mine</title>")
    with pytest.raises(UsageError, match="holds other files"):
        make(root, Wanted(assets=tmp_path / "site", replace=True))


def test_a_report_s_folder_goes_only_where_that_is_asked_for(run: Made, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    make(run.run.layout.root, Wanted(assets=folder))
    before = read(folder / "index.html")
    run.answered("1", "7", 1.0)
    with pytest.raises(UsageError, match="--force"):
        make(run.run.layout.root, Wanted(assets=folder))
    assert read(folder / "index.html") == before
    make(run.run.layout.root, Wanted(assets=folder, replace=True))
    assert read(folder / "index.html") != before
    assert names(tmp_path) == ["R", "pages"]


def test_a_report_stays_where_another_can_t_take_its_place(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pages"
    make(root, Wanted(assets=folder))
    before = names(folder)
    rename = Path.rename

    def refused(path: Path, target: Path) -> Path:
        if ".export-" in path.name and names(path) and Path(target) == folder and not refusals:
            refusals.append(path)
            raise OSError(errno.EIO, "Input/output error")
        return rename(path, target)

    refusals: list[Path] = []
    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(HarnessError, match="Input/output error"):
        make(root, Wanted(assets=folder, replace=True))
    assert names(folder) == before
    assert names(tmp_path) == ["R", "pages"]


def test_an_empty_folder_is_taken(root: Path, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    make(root, Wanted(assets=tmp_path / "pages"))
    assert "index.html" in names(tmp_path / "pages")


@pytest.mark.parametrize("wanted", [{"out": "page.html"}, {"assets": "pages"}])
def test_damage_leaves_nothing(run: Made, root: Path, tmp_path: Path, wanted: dict[str, str]) -> None:
    path = run.run.layout.attempt("1", 0, run.run.attempt_names("1", 0)[0])
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StoreCorruptError, match=str(path)):
        make(root, Wanted(**{name: tmp_path / value for name, value in wanted.items()}))
    assert names(tmp_path) == ["R"]


def test_a_full_disk_is_said(root: Path, tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        output = Output(tmp_path / "page.html", tmp_path / "temporary", full)
        with pytest.raises(NoSpaceError, match=r"No space to write .*page\.html"):
            writing.write_file(Looked.open(root), output, tmp_path)


# A command line in a process that may write no file of more than 30 kB.
LIMITED = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (30000, {resource.RLIM_INFINITY}))
from harness.cli.main import main
main(sys.argv[1:])
"""


@pytest.mark.parametrize("argv", [["--out", "page.html"], ["--assets", "pages"]])
def test_a_write_that_fails_half_way_leaves_nothing(root: Path, tmp_path: Path, argv: list[str]) -> None:
    command = [sys.executable, "-c", LIMITED, "report", str(root), *argv]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "Could not write" in done.stderr
    assert names(tmp_path) == ["R"]
