"""From one filesystem to another, where a rename is not enough."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import crossing
import pytest
from account import Account, HandoverError
from folder import opened

pytestmark = pytest.mark.integration  # needs two filesystems, cp and rm


@pytest.fixture
def far(tmp_path: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        assert Path(folder).stat().st_dev != tmp_path.stat().st_dev, "this test needs /dev/shm on its own filesystem"
        yield Path(folder)


def make_result(folder: Path) -> None:
    (folder / "R").mkdir()
    (folder / "R/file").write_text("content")
    (folder / "R/link").symlink_to("/etc")
    os.utime(folder / "R/file", (1, 1))


def assert_result(folder: Path) -> None:
    assert (folder / "R/file").read_text() == "content"
    assert (folder / "R/file").stat().st_mtime == 1
    assert (folder / "R/link").readlink() == Path("/etc")
    assert [path.name for path in folder.iterdir()] == ["R"]


def test_there_and_back(far: Path, tmp_path: Path, me: Account) -> None:
    near = me.home
    make_result(near)
    with opened(near) as work, opened(far) as checkout:
        crossing.move_back(work, "R", checkout, "R", me)
        assert_result(far)
        assert not [*near.iterdir()]
        crossing.move_in(checkout, "R", work, me)
        assert_result(near)
        assert not [*far.iterdir()]


def test_a_copy_that_fails_leaves_everything_where_it_was(
    far: Path, me: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*command: str) -> None:
        raise HandoverError("No space left on device")

    make_result(far)
    monkeypatch.setattr(crossing, "_run", full)
    with opened(me.home) as work, opened(far) as checkout, pytest.raises(HandoverError, match="No space left"):
        crossing.move_in(checkout, "R", work, me)
    assert_result(far)


def test_a_call_that_was_killed_lost_nothing(far: Path) -> None:
    gate = far / ".hermetic-gate"
    gate.mkdir()
    make_result(gate)
    (gate / ".hermetic-part").mkdir()
    with opened(far) as checkout:
        crossing.recover(checkout)
    assert_result(far)
