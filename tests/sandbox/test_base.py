"""The folder of one user on this node."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import HostUnfitError, NoSpaceError, SandboxError
from harness.sandbox import base, idmapper


@pytest.fixture
def short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """pytest's own folders have long names."""
    monkeypatch.setattr(base, "LONGEST", 500)
    return {"HARNESS_STATE_DIR": str(tmp_path / "state")}


def test_it_is_made_passable_whatever_the_umask(short: dict[str, str]) -> None:
    before = os.umask(0o077)
    try:
        folder = base.folder(short, 4242)
    finally:
        os.umask(before)
    assert folder.name == "hermetic-4242"
    assert folder.stat().st_mode & 0o777 == 0o711


def test_a_link_in_its_place_is_refused(short: dict[str, str], tmp_path: Path) -> None:
    """/var/tmp is everybody's: another user may have been there first."""
    (tmp_path / "state").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "state/hermetic-1").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HostUnfitError, match="not a folder of this user's"):
        base.folder(short, 1)


def test_a_path_too_long_for_sockets(tmp_path: Path) -> None:
    with pytest.raises(HostUnfitError, match="too long"):
        base.folder({"HARNESS_STATE_DIR": str(tmp_path / ("x" * 60))}, 1)


@pytest.mark.parametrize("sign", [*" ,:%\\\"'#?*$\n\t", "\udcff"])
def test_signs_that_mean_something_on_the_way_are_refused_before_anything_is_made(sign: str) -> None:
    """Podman waited for its service, or an overlay or newuidmap failed, each with a text that led elsewhere."""
    with pytest.raises(HostUnfitError, match="holds other signs"):
        base.folder({"HARNESS_STATE_DIR": f"/no/a{sign}b"}, 1)


def test_a_folder_that_can_not_be_made(short: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(HostUnfitError, match="can't be made"):
        base.folder(short, 1)


def test_a_full_disk_is_told_with_figures(short: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "NEEDED_BYTES", 1 << 62)
    with pytest.raises(NoSpaceError, match="MiB"):
        base.folder(short, 1)


def test_the_kernels_word_for_a_full_disk(tmp_path: Path) -> None:
    with pytest.raises(NoSpaceError, match="HARNESS_STATE_DIR"), base.no_space(tmp_path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(("needed", "error"), [(0, SandboxError), (1 << 62, NoSpaceError)])
def test_what_fails_on_a_full_disk_fails_for_its_sake(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, needed: int, error: type[Exception]
) -> None:
    monkeypatch.setattr(base, "NEEDED_BYTES", needed)
    monkeypatch.setattr(base, "NEEDED_INODES", 0)
    with pytest.raises(error) as found, base.full_first(tmp_path):
        raise SandboxError("The exit status did not appear in 30 s")
    assert type(found.value) is error


def test_other_errors_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), base.no_space(tmp_path):
        raise PermissionError(errno.EACCES, "no")


def test_the_links_follow_the_host(tmp_path: Path) -> None:
    first = {"newuidmap": Path("/usr/bin/newuidmap")}
    second = {"newuidmap": Path("/run/wrappers/bin/newuidmap")}
    base.link_helpers(tmp_path, first)
    links = base.link_helpers(tmp_path, second)
    assert {link.name: link.readlink() for link in links.iterdir()} == second


def test_its_own_helpers_are_the_same_text_under_both_names(short: dict[str, str]) -> None:
    helpers = base.own_helpers(base.folder(short, 4242))
    assert sorted(path.name for path in helpers.iterdir()) == ["newgidmap", "newuidmap"]
    first, text = (helpers / "newuidmap").read_text().split("\n", 1)
    assert first == f"#!{sys.executable} -IS"
    assert text == Path(idmapper.__file__).read_text()
    before = (helpers / "newuidmap").stat().st_ino
    base.own_helpers(helpers.parent)
    assert (helpers / "newuidmap").stat().st_ino == before


def test_who_has_no_right_to_it_is_told_which_ids_were_not_mapped() -> None:
    """This process has its user namespace from its parent, so nobody can map ids in it any more."""
    source = f"import sys; sys.argv[0] = '/x/newgidmap'\n{Path(idmapper.__file__).read_text()}"
    numbers = ["0", "0", "1", "1", "100000", "10"]
    command = [sys.executable, "-c", source, str(os.getpid()), *numbers]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("newgidmap: the ids 0 0 1, 1 100000 10 can't be mapped: ")
