"""Which ways into a cgroup of our own are tried."""

from pathlib import Path

import pytest

from harness.sandbox.cgroup_entry import LACK
from harness.sandbox.scope import Place, ways

SESSION = "/user.slice/user-5.slice/session-1.scope"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Cgroups of a host: a login session, a service, and a scope that was handed over."""
    folder = tmp_path / "cgroup"
    for path in (SESSION[1:], "system.slice/x.service", "user.slice/mine.scope", "system.slice/given.service"):
        (folder / path).mkdir(parents=True)
        (folder / path / "cgroup.type").write_text("domain\n")
        given = path.endswith(("mine.scope", "given.service"))
        (folder / path / "cgroup.controllers").write_text("cpu memory pids\n" if given else "\n")
        (folder / path / "cgroup.procs").write_text("7\n")
    (folder / "cgroup.controllers").write_text("cpu memory pids\n")
    return folder


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A PATH with a systemd-run."""
    program = tmp_path / "bin/systemd-run"
    program.parent.mkdir()
    program.touch(mode=0o755)
    return {"PATH": str(program.parent)}


def test_a_login_session_asks_systemd_and_goes_without_where_it_refuses(
    root: Path, env: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "run/5").mkdir(parents=True)
    first, second = ways(Place(SESSION, alone=False, uid=5), env, root, tmp_path / "run")
    assert first.prefix[0].endswith("/systemd-run")
    assert {"--user", "--scope", "--property=Delegate=yes"} <= set(first.prefix)
    assert first.prefix[-1].endswith("cgroup_entry.py")
    assert first.says == {"XDG_RUNTIME_DIR": str(tmp_path / "run/5")}
    assert second.prefix == ()
    assert second.says[LACK].endswith("was not given the controllers cpu, memory, pids, and systemd gave no scope")


def test_root_asks_the_systems_own_systemd(root: Path, env: dict[str, str]) -> None:
    assert "--user" not in ways(Place(SESSION, alone=False, uid=0), env, root)[0].prefix


def test_the_users_own_address_of_systemd_stays(root: Path, env: dict[str, str]) -> None:
    place = Place(SESSION, alone=False, uid=5)
    assert ways(place, {**env, "XDG_RUNTIME_DIR": "/elsewhere"}, root, root)[0].says == {}


@pytest.mark.parametrize("path", ["/user.slice/mine.scope", "/system.slice/given.service"])
def test_a_cgroup_that_is_ours_alone_is_divided_as_it_is(root: Path, env: dict[str, str], path: str) -> None:
    """Whoever started the harness in it may have given it limits as a whole."""
    (only,) = ways(Place(path, alone=True, uid=5), env, root)
    assert only.prefix[-1].endswith("cgroup_entry.py")
    assert not any("systemd-run" in word for word in only.prefix)


def test_ours_with_others_in_it_can_not_be_divided(root: Path, env: dict[str, str]) -> None:
    first, second = ways(Place("/user.slice/mine.scope", alone=False, uid=5), env, root)
    assert first.prefix[0].endswith("/systemd-run")
    assert "holds other processes" in second.says[LACK]


def test_nobody_is_taken_out_of_a_service_or_a_batch_job(root: Path, env: dict[str, str]) -> None:
    (only,) = ways(Place("/system.slice/x.service", alone=True, uid=5), env, root)
    assert only.prefix == ()
    assert "was not given the controllers" in only.says[LACK]


def test_a_host_without_systemd(root: Path) -> None:
    (only,) = ways(Place(SESSION, alone=True, uid=5), {"PATH": "/nowhere"}, root)
    assert (only.prefix, list(only.says)) == ((), [LACK])


@pytest.mark.parametrize("path", [None, "/"])
def test_an_old_or_hybrid_host(tmp_path: Path, env: dict[str, str], path: str | None) -> None:
    (only,) = ways(Place(path, alone=False, uid=5), env, tmp_path)
    assert only.prefix == ()
    assert "no cgroup v2" in only.says[LACK]
