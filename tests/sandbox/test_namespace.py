"""The harness's own namespace: what it is, and that nothing of it outlives any part of it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.sandbox import init, namespace
from tests.sandbox.conftest import ENTER, PRELUDE, ROOT, Entered, gone_within, tree

Enter = Callable[..., Entered]

LOOK = """
import json, os
from harness.sandbox import namespace
print(json.dumps({"pid": os.getpid(), "uid": os.geteuid(), "inside": namespace.inside(), "path": os.environ["PATH"],
    "processes": sorted(int(n) for n in os.listdir("/proc") if n.isdecimal()), "ids": namespace.mapped_ids().count,
    "helpers": sorted(os.listdir(os.environ["PATH"].split(":")[1]))}))
"""
COUNT = """
import json, os, signal, sys, time
got = []
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, lambda number, _: got.append(number))
print(json.dumps(os.getpid()), flush=True)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end and len(got) < 5:
    time.sleep(0.02)
time.sleep(0.2)
print(json.dumps(sorted(got)), flush=True)
"""
BUSY = """
import json, os, subprocess, sys, time
# A daemon that has left our process group and session and was adopted by init.
DAEMON = "import os, time\\nif os.fork(): os._exit(0)\\nos.setsid(); time.sleep(60)"
subprocess.Popen([sys.executable, "-c", DAEMON]).wait()
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(json.dumps("ready"), flush=True)
time.sleep(60)
"""


def test_outside_nothing_claims_to_be_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that was left over from an earlier run names another namespace."""
    monkeypatch.setenv(init.NAMESPACE_VARIABLE, "pid:[4026531836000]")
    monkeypatch.setenv(namespace.CONFIGURED, "done")
    assert not namespace.inside()


def test_the_right_number_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the mapped ids of our own namespace the variable proves nothing."""
    monkeypatch.setenv(init.NAMESPACE_VARIABLE, str(Path("/proc/self/ns/pid").readlink()))
    assert not namespace.inside()


@pytest.mark.integration
def test_inside_it_is_root_of_a_small_world(enter: Enter) -> None:
    found = enter(LOOK).result()
    assert found["inside"] is True
    assert (found["pid"], found["uid"], found["processes"]) == (2, 0, [1, 2])
    assert found["ids"] >= 2000
    assert found["helpers"] == ["newgidmap", "newuidmap"]
    assert "/usr/bin" not in found["path"].split(":")


@pytest.mark.integration
def test_what_ids_are_held_by_is_open_in_the_harness_alone(enter: Enter) -> None:
    """Sandboxes are in its time namespace: could they lock the machine's, one would keep all others waiting."""
    look = """
from harness.sandbox import ranges
print(json.dumps([os.stat(ranges.hold([])).st_ino, os.stat("/proc/self/ns/time").st_ino]))
"""
    common, inside = enter(look).result()
    assert common == Path("/proc/self/ns/time").stat().st_ino
    assert inside != common


@pytest.mark.integration
def test_the_exit_status_comes_out(enter: Enter) -> None:
    assert enter("import sys; sys.exit(7)").status() == 7


@pytest.mark.integration
def test_each_signal_is_passed_on_exactly_once(enter: Enter) -> None:
    one = enter(COUNT, "10")
    one.line()
    for number in init.FORWARDED:
        os.kill(one.pid, number)
    assert one.line() == sorted(init.FORWARDED)
    assert one.status() == 0


@pytest.mark.integration
def test_a_signal_to_init_reaches_the_main_process(enter: Enter) -> None:
    one = enter(COUNT, "1")
    one.line()
    os.kill(tree(one.pid)[2], signal.SIGUSR1)
    assert one.line() == [signal.SIGUSR1]


@pytest.mark.integration
def test_signals_that_the_caller_ignores_stay_ignored(enter: Enter) -> None:
    """As under nohup."""
    handler = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        one = enter("import signal; print(int(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN))")
    finally:
        signal.signal(signal.SIGHUP, handler)
    assert one.result() == 1


@pytest.mark.integration
@pytest.mark.parametrize(("who", "place"), [("outer", 0), ("unshare", 1), ("init", 2), ("main", 3)])
def test_whoever_is_killed_takes_all_with_it(enter: Enter, who: str, place: int) -> None:
    one = enter(BUSY)
    one.line()
    everyone = tree(one.pid)
    assert len(everyone) == 6, everyone
    os.kill(everyone[place], signal.SIGKILL)
    assert gone_within(everyone, 2) == []
    assert one.status() == (-signal.SIGKILL if who == "outer" else 128 + signal.SIGKILL)


@pytest.mark.integration
def test_ctrl_c_on_a_terminal_arrives_once(enter: Enter) -> None:
    """The terminal signals its foreground group; the inner side is not in it."""
    master, slave = os.openpty()
    try:
        one = enter(COUNT, "2", on_terminal=slave)
        one.line()
        os.write(master, b"\x03")
        assert one.line() == [signal.SIGINT]
    finally:
        os.close(master)
        os.close(slave)


@pytest.mark.integration
def test_a_range_too_small_is_explained(enter: Enter) -> None:
    """unshare's and newuidmap's own words come out with what to do."""
    source = """
import os, sys
from harness.errors import HostUnfitError
from harness.sandbox import fitness, namespace, subids
real = fitness.check
fitness.check = lambda env: fitness.IdSetup(real(env).helpers, subids.IdRange(2000000000, 65536), real(env).groups)
try:
    namespace.enter(["true"], os.environ)
except HostUnfitError as error:
    print(error)
"""
    enter("pass").status()
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert "newuidmap" in done.stdout
    assert "namespace can't be made" in done.stdout


HOLD = """
from harness.sandbox import hostids, ranges
from harness.sandbox.subids import IdRange
(user, *others) = hostids.HostIds.found(os.environ).of(IdRange(18001, 2000))
held = ranges.hold([user, *others])
print(json.dumps([user.first, user.count]), flush=True)
time.sleep(60)
"""
WITHIN = """
from harness.sandbox import hostids, namespace, ranges
from harness.sandbox.subids import IdRange
held = hostids.HostIds.found(os.environ).of(IdRange(18001, 2000))
print(json.dumps({"inside": namespace.inside(), "uid": os.environ[namespace.HOST_UID],
    "ids": namespace.mapped_ids().count, "held": held and [[one.first, one.count] for one in held],
    "free": held and ranges.hold(held) is not None}))
"""


def _enter_within(state_dir: Path, *deeper: str) -> dict[str, Any]:
    """Enters from a user, mount and network namespace that has a whole range of ids; or from where ``deeper`` leads."""
    unshare = str(Path(os.environ["HARNESS_RUNTIME"]) / "bin/unshare")
    own = state_dir / f"hermetic-{os.getuid()}/mapping"
    around = [unshare, "--user", "--map-root-user", "--map-auto", "--mount", "--net"]
    if deeper:
        around += ["/usr/bin/env", f"PATH={own}", unshare, "--user", "--map-root-user", *deeper]
    done = subprocess.run(
        [*around, sys.executable, "-c", ENTER, sys.executable, "-c", PRELUDE + WITHIN],
        env={**os.environ, "HARNESS_STATE_DIR": str(state_dir), "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.integration
def test_as_root_of_a_namespace_it_maps_ids_itself_and_holds_them_on_the_host(enter: Enter, state_dir: Path) -> None:
    """In a network of its own it sees no names of others, and its ids have other numbers."""
    one = enter(HOLD)
    first, count = one.line()
    found = _enter_within(state_dir)
    assert (found["inside"], found["uid"], found["held"][0]) == (True, str(os.getuid()), [first, count])
    assert found["free"] is False
    os.kill(one.pid, signal.SIGKILL)
    one.status()
    assert _enter_within(state_dir)["held"][0] == [first, count]


@pytest.mark.integration
def test_deeper_down_it_knows_that_it_can_not_know_the_hosts_numbers(enter: Enter, state_dir: Path) -> None:
    """The namespace above looks as one of the host's does."""
    enter("pass").status()
    _enter_within(state_dir)  # leaves the helpers by which the next one goes down
    found = _enter_within(state_dir, "--map-users=1,1,60000", "--map-groups=1,1,60000")
    assert (found["inside"], found["ids"], found["held"]) == (True, 60000, None)


def _unfit(command: list[str], **env: str) -> str:
    done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    assert done.returncode == 4, done
    return done.stderr


@pytest.mark.integration
def test_a_host_without_newuidmap_is_told_which_package_has_it(enter: Enter) -> None:
    assert "apt-get install uidmap" in _unfit([sys.executable, "-c", ENTER, "true"], PATH="/nowhere")


@pytest.mark.integration
def test_a_kernel_that_forbids_user_namespaces(enter: Enter) -> None:
    """Inside a user namespace of its own even an unprivileged user may forbid further ones."""
    forbid = f"""
import os, sys
open("/proc/sys/user/max_user_namespaces", "w").write("0")
os.execv(sys.executable, [sys.executable, "-c", {ENTER!r}, "true"])
"""
    unshare = str(Path(os.environ["HARNESS_RUNTIME"]) / "bin/unshare")
    said = _unfit([unshare, "--user", "--map-root-user", sys.executable, "-c", forbid])
    assert "sysctl -w user.max_user_namespaces" in said


@pytest.mark.integration
def test_without_the_runtime_nothing_starts(enter: Enter) -> None:
    assert "HARNESS_RUNTIME" in _unfit([sys.executable, "-c", ENTER, "true"], HARNESS_RUNTIME="")


WAYS = """
import sys
from harness.sandbox import cgroup_entry, scope
from harness.sandbox.scope import Way
refused = Way(("/bin/sh", "-c", "echo no bus >&2; exit 1"))
without = Way(says={"HARNESS_NO_CGROUP": "others are in it"})
divided = Way((sys.executable, "-I", "-S", cgroup_entry.__file__))
scope.ways = lambda *_: %s
"""


@pytest.mark.integration
@pytest.mark.parametrize(
    ("ways", "expected"),
    [
        ("(refused, without)", ["None", "others are in it (no bus)"]),
        ("(without,)", ["None", "others are in it"]),
        ("(divided,)", None),
    ],
)
def test_the_way_into_a_cgroup_leads_to_the_namespace_and_what_came_of_it_is_said_inside(
    state_dir: Path, ways: str, expected: list[str] | None
) -> None:
    """What an environment says of another process's cgroup goes no further."""
    if not os.environ.get("HARNESS_RUNTIME"):
        pytest.skip("HARNESS_RUNTIME is not set: `nix run .#tests` sets it")
    look = "import os, sys; print(*map(os.environ.get, sys.argv[1:]), sep='|'); sys.exit(7)"
    variables = ("HARNESS_CGROUP", "HARNESS_NO_CGROUP")
    done = subprocess.run(
        [sys.executable, "-c", WAYS % ways + ENTER, sys.executable, "-c", look, *variables],
        env={**os.environ, "HARNESS_STATE_DIR": str(state_dir), **dict.fromkeys(variables, "old")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 7, done.stderr
    found = done.stdout.strip().split("|")
    assert found.count("None") == 1
    assert "old" not in found
    assert expected is None or found == expected
