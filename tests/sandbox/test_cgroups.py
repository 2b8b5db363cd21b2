"""Cgroups of sandboxes, on folders that look like the kernel's: what is asked for, and what is believed."""

import os
from pathlib import Path

import pytest

from harness.errors import HostUnfitError
from harness.sandbox import cgroups
from harness.sandbox.cgroup_entry import FOUND, LACK
from harness.sandbox.cgroups import Group, Tree
from harness.sandbox.values import MIB, Limits

LIMITS = Limits(cpus=1.5, memory=64 * MIB, pids=9)
VALUES = {"memory.max": str(64 * MIB), "memory.swap.max": "0", "pids.max": "9", "cpu.max": "150000 100000"}
ALL = {"cpus", "memory", "pids"}


def fill(folder: Path, **files: str) -> Group:
    """A cgroup whose files hold these values, in the kernel's way; the others are as asked for."""
    changed = {name.replace("_", "."): value for name, value in files.items()}
    for name, value in {**VALUES, **changed}.items():
        (folder / name).write_text(f"{value}\n")
    return Group(folder)


def test_what_is_asked_of_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "memory.swap.max").write_text("max\n")
    Group(tmp_path).set(LIMITS)
    found = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert found == {**VALUES, "memory.oom.group": "1"}


def test_limits_that_were_really_set(tmp_path: Path) -> None:
    assert fill(tmp_path).in_force(LIMITS) == ALL


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        ({"memory_max": "max"}, "memory"),
        ({"memory_swap_max": "max"}, "memory"),
        ({"pids_max": "max"}, "pids"),
        ({"cpu_max": "max 100000"}, "cpus"),
    ],
)
def test_a_request_that_was_ignored_is_not_believed(tmp_path: Path, change: dict[str, str], lost: str) -> None:
    assert fill(tmp_path, **change).in_force(LIMITS) == ALL - {lost}


def test_a_kernel_without_swap_accounting(tmp_path: Path) -> None:
    group = fill(tmp_path)
    (tmp_path / "memory.swap.max").unlink()
    assert group.in_force(LIMITS) == ALL
    group.set(LIMITS)
    assert not (tmp_path / "memory.swap.max").exists()


def test_files_that_are_not_there_hold_nothing(tmp_path: Path) -> None:
    """A controller that was not handed down has no files."""
    (tmp_path / "pids.max").write_text("9\n")
    assert Group(tmp_path).in_force(LIMITS) == {"pids"}


def test_a_process_that_did_not_come_is_not_believed_to_be_here(tmp_path: Path) -> None:
    (tmp_path / "cgroup.procs").write_text("")
    assert not Group(tmp_path).take(os.getpid())


@pytest.mark.parametrize(("count", "expected"), [(0, False), (1, True), (12, True)])
def test_the_kernels_count_of_kills(tmp_path: Path, count: int, expected: bool) -> None:
    (tmp_path / "memory.events").write_text(f"low 0\nhigh 0\nmax 30\noom 4\noom_kill {count}\noom_group_kill 0\n")
    assert Group(tmp_path).ran_out_of_memory() is expected


def test_a_cgroup_that_somebody_took_away_is_no_evidence(tmp_path: Path) -> None:
    with pytest.raises(HostUnfitError, match="can't be read"):
        Group(tmp_path / "gone").ran_out_of_memory()


async def test_waiting_until_nothing_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "SECONDS", 1.0)
    looks = []

    def populated(_: Group) -> bool:
        looks.append(1)
        return len(looks) < 3

    monkeypatch.setattr(Group, "populated", populated)
    await Group(tmp_path).emptied()
    assert len(looks) == 3


async def test_what_lives_on_is_the_hosts_error_and_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "SECONDS", 0.1)
    (tmp_path / "cgroup.events").write_text("populated 1\nfrozen 0\n")
    (tmp_path / "cgroup.procs").write_text("71\n72\n")
    with pytest.raises(HostUnfitError, match=r"71, 72 .* outlived it") as caught:
        await Group(tmp_path).emptied()
    assert caught.value.exit_status == 4


async def test_an_empty_one_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "SECONDS", 0.1)
    empty, used = Group(tmp_path / "a"), Group(tmp_path / "b")
    empty.folder.mkdir()
    used.folder.mkdir()
    (used.folder / "file").touch()  # as busy as a plain folder can be
    await empty.remove()
    await used.remove()
    assert (empty.folder.exists(), used.folder.exists()) == (False, True)


def test_a_place_where_none_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(HostUnfitError, match="can't be made"):
        Tree(tmp_path).make("x", LIMITS)


@pytest.fixture
def host(tmp_path: Path) -> tuple[Path, Path]:
    """The roots of cgroups and of /proc on a host where this process is in /x.scope/harness-5/main."""
    root, proc = tmp_path / "cgroup", tmp_path / "proc"
    (root / "x.scope/harness-5/main").mkdir(parents=True)
    (root / "cgroup.controllers").write_text("cpu memory pids\n")
    (proc / "self").mkdir(parents=True)
    (proc / "self/cgroup").write_text("0::/x.scope/harness-5/main\n")
    return root, proc


def test_the_harness_finds_its_own(host: tuple[Path, Path]) -> None:
    mine = host[0] / "x.scope/harness-5"
    assert cgroups.found({FOUND: str(mine)}, *host) == Tree(mine)


def test_a_variable_that_was_left_over_is_not_believed(host: tuple[Path, Path]) -> None:
    assert cgroups.found({FOUND: str(host[0] / "y.scope/harness-5")}, *host) == cgroups.UNKNOWN


def test_the_reason_comes_through(host: tuple[Path, Path]) -> None:
    assert cgroups.found({LACK: "systemd gave none"}, *host) == "systemd gave none"


def test_a_hybrid_host_has_none(host: tuple[Path, Path]) -> None:
    (host[0] / "cgroup.controllers").unlink()
    assert "no cgroup v2" in str(cgroups.found({FOUND: str(host[0] / "x.scope/harness-5")}, *host))
