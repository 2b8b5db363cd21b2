"""Whether a cgroup of ours can hold limits, and whether it does."""

import os
from pathlib import Path

import pytest

from harness.sandbox import limits
from harness.sandbox.values import MIB, Limits


def test_the_v2_line_among_the_old_ones() -> None:
    assert limits.own_cgroup("12:pids:/a\n1:name=systemd:/b\n0::/user.slice/x.scope\n") == "/user.slice/x.scope"
    assert limits.own_cgroup("4:memory:/a\n") is None


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host with version 2, whose delegated scope this process is in."""
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    scope = tmp_path / "x.scope"
    scope.mkdir()
    (scope / "cgroup.controllers").write_text("cpu io memory pids\n")
    (scope / "cgroup.procs").write_text("")
    monkeypatch.setattr(limits, "own_cgroup", lambda _: "/x.scope")
    return scope


def test_a_delegated_scope(group: Path) -> None:
    assert limits.delegated(group.parent)


def test_a_hybrid_host_has_no_controllers_in_version_2(group: Path) -> None:
    (group.parent / "cgroup.controllers").unlink()
    assert not limits.delegated(group.parent)


def test_a_controller_that_was_not_delegated(group: Path) -> None:
    (group / "cgroup.controllers").write_text("memory pids\n")
    assert not limits.delegated(group.parent)


def _write(group: Path, **files: str) -> None:
    values = {"memory.max": str(64 * MIB), "memory.swap.max": "0", "pids.max": "9", "cpu.max": "150000 100000"}
    for name, value in {**values, **{key.replace("_", "."): value for key, value in files.items()}}.items():
        (group / name).write_text(f"{value}\n")


LIMITS = Limits(cpus=1.5, memory=64 * MIB, pids=9)


def test_limits_that_were_really_set(tmp_path: Path) -> None:
    _write(tmp_path)
    assert limits.in_force(tmp_path, LIMITS)


@pytest.mark.parametrize("change", [{"memory_max": "max"}, {"pids_max": "max"}, {"cpu_max": "max 100000"}])
def test_a_request_that_was_ignored_is_not_believed(tmp_path: Path, change: dict[str, str]) -> None:
    _write(tmp_path, **change)
    assert not limits.in_force(tmp_path, LIMITS)


def test_no_cgroup_at_all(tmp_path: Path) -> None:
    assert not limits.in_force(tmp_path / "missing", LIMITS)


@pytest.mark.parametrize(("count", "expected"), [(0, False), (1, True), (12, True)])
def test_the_kernels_count_of_kills(tmp_path: Path, count: int, expected: bool) -> None:
    file = tmp_path / "memory.events"
    file.write_text(f"low 0\nhigh 0\nmax 30\noom {count}\noom_kill {count}\noom_group_kill 0\n")
    with file.open() as events:
        assert limits.memory_ran_out(events.fileno()) is expected


def test_a_cgroup_that_is_gone_tells_nothing(tmp_path: Path) -> None:
    """Reading its file fails then; a folder's descriptor fails as well."""
    handle = os.open(tmp_path, os.O_RDONLY)
    assert limits.memory_ran_out(handle) is None
    os.close(handle)


def test_each_limit_is_named_with_what_holds_it() -> None:
    assert limits.held(cgroups=True)["memory"] == "cgroup"
    assert limits.held(cgroups=False)["memory"] == "watchdog"
    assert limits.held(cgroups=False)["cpus"] == "none"
