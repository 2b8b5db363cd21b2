"""Looking at this very machine, whatever it is: what holds on each."""

import os
import sys
import tempfile
import time
from pathlib import Path

import pytest

from harness.errors import HostUnfitError
from harness.run.doctor import facts, reading
from harness.sandbox import fitness, namespace


def test_a_run_folder_is_looked_at_and_left_as_it_was(tmp_path: Path) -> None:
    before = time.time()
    place = reading.run_place(tmp_path / "not/there/yet", Path("/proc/self/mountinfo").read_text())
    assert place.folder.path == tmp_path
    assert place.folder.owner == os.getuid()
    assert place.link is None
    assert place.skew is not None
    assert abs(place.skew) < 5 + time.time() - before
    assert list(tmp_path.iterdir()) == []


def test_a_run_folder_of_an_impossible_name_is_looked_at_where_it_would_be(tmp_path: Path) -> None:
    place = reading.run_place(tmp_path / ("x" * 300) / "R", Path("/proc/self/mountinfo").read_text())
    assert place.folder.path == tmp_path


def test_where_no_link_can_be_made_the_reason_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    place = reading.run_place(tmp_path, Path("/proc/self/mountinfo").read_text())
    assert place.link == f"{tmp_path}: no hard link can be made: Operation not permitted"
    assert list(tmp_path.iterdir()) == []


def test_without_the_closure_the_rest_is_seen_all_the_same(tmp_path: Path) -> None:
    seen = reading.look({"PATH": str(tmp_path), "HARNESS_STATE_DIR": str(tmp_path), "SECRET": "value"})
    assert isinstance(seen.closure, HostUnfitError)
    assert seen.versions == {}
    assert seen.helpers == {"newuidmap": None, "newgidmap": None}
    assert seen.nix.version is None
    assert seen.env == {"PATH": str(tmp_path), "HARNESS_STATE_DIR": str(tmp_path)}
    assert "/proc/meminfo" in seen.files


def test_a_program_that_fails_has_no_version(tmp_path: Path) -> None:
    program = tmp_path / "nix"
    program.write_text("no program\n")
    program.chmod(0o755)
    assert reading.nix_version(str(tmp_path)) is None


def test_without_a_folder_for_temporary_files_no_version_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nix").symlink_to("/bin/sh")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    assert reading.nix_version(str(tmp_path)) is None


def test_only_the_users_own_lines_are_recorded() -> None:
    user = fitness.User(("erin", "1000"), in_passwd=True)
    assert facts.lines("frank:1:2\nerin:3:4\n# erin:5:6\n1000:7:8\n", user) == ["erin:3:4", "1000:7:8"]


def test_the_helpers_of_the_host_are_recorded_with_their_digest(tmp_path: Path) -> None:
    (tmp_path / "newuidmap").write_text("program")
    (tmp_path / "newuidmap").chmod(0o755)
    found = facts.provided({"PATH": str(tmp_path)})
    assert found["newuidmap"] == {
        "path": str(tmp_path / "newuidmap"),
        "mode": "0755",
        "sha256": "1310ca2c8932dbd118668bd97442558a3e1f546b5e15c69699dfbd6024f548d8",
    }
    assert found["newgidmap"] is None


def test_a_helper_that_only_root_may_read_has_no_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a distribution gives setuid programs the mode 4711."""

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "newuidmap").write_text("program")
    (tmp_path / "newuidmap").chmod(0o711)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    helper = reading.helper("newuidmap", str(tmp_path), "1 1 0:1 / / rw - ext4 /dev/vda rw\n")
    assert helper is not None
    assert helper.sha256 is None


def test_inside_the_namespace_the_hosts_path_and_uid_count(tmp_path: Path) -> None:
    (tmp_path / "newgidmap").write_text("program")
    (tmp_path / "newgidmap").chmod(0o755)
    inside = {"PATH": "/nowhere", namespace.HOST_PATH: str(tmp_path), namespace.HOST_UID: "3000000000"}
    found = facts.provided(inside)
    assert found["newgidmap"] is not None
    assert found["subuid"] == []


def test_what_a_program_makes_to_say_its_version_is_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As podman does, which makes folders in its home and beside it."""
    program, temporary = tmp_path / "nix", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    makes = "import os; [open(os.environ[name] + '/made', 'w') for name in ('HOME', 'TMPDIR', 'XDG_RUNTIME_DIR')]"
    program.write_text(f"#!{sys.executable} -IS\n{makes}\nprint('nix 2')\nprint('more')\n")
    program.chmod(0o755)
    assert reading.nix_version(str(tmp_path)) == "nix 2"
    assert list(temporary.iterdir()) == []


def test_why_a_device_can_not_be_opened(tmp_path: Path) -> None:
    (tmp_path / "fuse").touch()
    assert reading.unopened(tmp_path / "fuse") is None
    assert reading.unopened(tmp_path / "none") == f"{tmp_path}/none: No such file or directory"
