"""Dividing the cgroup that the harness was started in, on folders that look like the kernel's."""

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.sandbox import cgroup_entry
from harness.sandbox.cgroup_entry import FOUND, LACK


@pytest.fixture
def scope(tmp_path: Path) -> Path:
    """A scope that was handed over, with process 7, its parent 6 and, on demand, others."""
    (tmp_path / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    folder = tmp_path / "x.scope"
    folder.mkdir()
    for name, text in {
        "cgroup.type": "domain",
        "cgroup.controllers": "cpu io memory pids",
        "cgroup.procs": "6\n7",
        "cgroup.subtree_control": "",
    }.items():
        (folder / name).write_text(f"{text}\n")
    return folder


def enter(scope: Path, path: str = "/x.scope") -> dict[str, str]:
    return dict(cgroup_entry.enter(scope.parent, path, (7, 6), "7"))


def test_the_v2_line_among_the_old_ones() -> None:
    assert cgroup_entry.own("12:pids:/a\n1:name=systemd:/b\n0::/user.slice/x.scope\n") == "/user.slice/x.scope"
    assert cgroup_entry.own("4:memory:/a\n") is None


def test_a_scope_is_divided(scope: Path) -> None:
    assert enter(scope) == {FOUND: str(scope / "harness-7")}
    assert (scope / "harness-7/main/cgroup.procs").read_text() in ("6", "7")  # the kernel's file would hold both
    for folder in (scope, scope / "harness-7"):
        assert (folder / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"


def test_a_hybrid_host_has_no_controllers_in_version_2(scope: Path) -> None:
    (scope.parent / "cgroup.controllers").unlink()
    assert "no cgroup v2" in enter(scope)[LACK]


def test_the_machines_own_cgroup_is_left_alone(scope: Path) -> None:
    assert "root cgroup" in enter(scope, "/")[LACK]


def test_a_controller_that_was_not_handed_over(scope: Path) -> None:
    (scope / "cgroup.controllers").write_text("memory pids\n")
    assert enter(scope)[LACK].endswith("the controllers cpu")


def test_a_cgroup_of_somebody_else(scope: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup_entry.os, "access", lambda *_: False)
    assert "not ours" in enter(scope)[LACK]
    assert not list(scope.glob("harness-*"))


def test_a_cgroup_that_is_gone(scope: Path) -> None:
    assert "root cgroup" in enter(scope, "/y.scope")[LACK]


@pytest.fixture
def busy(scope: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scope with the kernel's answer where other processes are in the cgroup that is to be divided."""
    write = Path.write_text

    def refusing(path: Path, text: str) -> int:
        if path.name == "cgroup.subtree_control":
            raise OSError(errno.EBUSY, "Device or resource busy")
        if path.parent.name == "main":
            return 0  # the kernel's files are no part of a folder that is removed
        return write(path, text)

    monkeypatch.setattr(Path, "write_text", refusing)
    return scope


def test_others_in_it_make_it_as_it_was(busy: Path) -> None:
    assert "busy" in enter(busy)[LACK]
    assert [path.name for path in busy.iterdir() if path.is_dir()] == []
    assert (busy / "cgroup.procs").read_text() in ("6", "7")  # both went back


def test_what_a_dead_harness_left_goes_and_the_living_stays(scope: Path) -> None:
    for name in ("harness-3", "harness-4"):
        (scope / name / "main").mkdir(parents=True)
        (scope / name / "box").mkdir()
    (scope / "harness-4/cgroup.events").write_text("populated 1\nfrozen 0\n")
    enter(scope)
    assert sorted(path.name for path in scope.glob("harness-*")) == ["harness-4", "harness-7"]
    assert (scope / "harness-4/box").is_dir()


def test_run_by_path_it_becomes_the_command_and_says_what_it_found() -> None:
    """Whatever this machine has: one of the two is said, and an old word is dropped."""
    tell = "import json, os; print(json.dumps({k: v for k, v in os.environ.items() if k.startswith('HARNESS_')}))"
    command = [sys.executable, "-I", "-S", cgroup_entry.__file__, sys.executable, "-c", tell]
    done = subprocess.run(command, env={FOUND: "/old", LACK: "old"}, capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    assert len(said) == 1
    assert set(said) <= {FOUND, LACK}
    assert "old" not in "".join(said.values()).replace("folder", "")
