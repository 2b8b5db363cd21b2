"""The parts of the probes that can be run outside of a sandbox without harm."""

import errno
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.sandbox.selftest.probes import apart, exhaustion, files, main, network, others, privileges, sockets
from harness.sandbox.selftest.probes.telling import Absent, Facts, Probe, Seen, told

FACTS = Facts(abstract=[], boxes="", podman="", namespaces={}, environment=[], neighbour="", mark="", bounds={})


def _raise(error: Exception) -> Callable[[Facts], str]:
    def act(_: Facts) -> str:
        raise error

    return act


@pytest.mark.parametrize(
    ("act", "result", "detail"),
    [
        (lambda _: "it worked", "done", "it worked"),
        (lambda _: Seen("text"), "seen", "text"),
        (_raise(Absent("no such thing")), "absent", "no such thing"),
        (_raise(PermissionError(1, "Operation not permitted")), "refused", "EPERM"),
        (_raise(PermissionError("masked")), "refused", "masked"),
        (_raise(TimeoutError()), "refused", "TimeoutError"),
        (_raise(ValueError("bug")), "failed", "ValueError('bug')"),
    ],
)
def test_what_comes_of_an_attempt_is_told(act: Callable[[Facts], str], result: str, detail: str) -> None:
    line = told(Probe("name", "group", act), FACTS)
    assert line == {"name": "name", "group": "group", "result": result, "detail": detail}


def _die(number: int) -> Callable[[Facts], str]:
    def act(_: Facts) -> str:
        signal.signal(number, signal.SIG_DFL)  # pytest's own handler would print a page
        os.kill(os.getpid(), number)
        return "alive"

    return act


def test_a_child_serves_until_it_could_do_something_or_is_killed() -> None:
    pids = []

    def who(_: Facts) -> str:
        raise OSError(os.getpid(), "")

    probes = [
        Probe("first", "g", who),
        Probe("filtered", "g", _die(signal.SIGSYS)),
        Probe("second", "g", who),
        Probe("third", "g", who),
        Probe("open", "g", lambda _: "done"),
        Probe("fourth", "g", who),
        Probe("no-entry", "g", _die(signal.SIGSEGV), faults=True),
        Probe("bug", "g", _die(signal.SIGSEGV)),
    ]
    lines = list(apart.told_apart(probes, FACTS))
    assert [line["name"] for line in lines] == [probe.name for probe in probes]
    results = {line["name"]: (line["result"], line["detail"]) for line in lines}
    assert results["filtered"] == ("refused", "killed by the filter")
    assert results["open"] == ("done", "done")
    assert results["no-entry"] == ("absent", "this kernel has no such entry")
    assert results["bug"] == ("failed", "ended by signal 11")
    pids = [results[name][1] for name in ("first", "second", "third", "fourth")]
    assert pids[1] == pids[2]
    assert len(set(pids)) == 3
    assert str(os.getpid()) not in pids


def _devices(folder: Path, *names: str) -> Path:
    path = folder / "dev"
    path.write_text("Inter-| Receive\n face |bytes\n" + "".join(f"  {name}: 0 0 0\n" for name in names))
    return path


def test_nothing_is_sent_where_a_device_could_carry_it(tmp_path: Path) -> None:
    network.only_loopback(_devices(tmp_path, "lo"))
    with pytest.raises(RuntimeError, match="not tried, since there are devices: lo, eth0"):
        network.only_loopback(_devices(tmp_path, "lo", "eth0"))
    with pytest.raises(RuntimeError):
        network.only_loopback(_devices(tmp_path))


def test_a_probe_that_could_send_looks_for_devices_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """No socket is made; a probe that was not tried counts as failed, which is broken."""

    def device() -> None:
        raise RuntimeError("there are devices")

    def no_socket(*_: object) -> None:
        pytest.fail("a socket was made")

    monkeypatch.setattr(network, "only_loopback", device)
    monkeypatch.setattr(network.socket, "socket", no_socket)
    named = {target.name for target in network.TARGETS} | {"from-the-gateways-port", "from-the-gateways-port-udp"}
    lines = [told(probe, FACTS) for probe in network.PROBES if probe.name in named]
    assert len(lines) == len(named)
    assert {line["result"] for line in lines} == {"failed"}


def test_places_are_of_their_family() -> None:
    targets = {target.name: target for target in network.TARGETS}
    assert network.place(targets["public-tcp"]) == ("192.0.2.1", 443)
    assert network.place(targets["loopback-mapped-tcp"]) == ("::ffff:127.0.0.1", 27001, 0, 0)
    assert network.place(targets["link-local6"]) == ("fe80::1", 80, 0, socket.if_nametoindex("lo"))


MOUNTS = """\
1 0 0:1 / / ro,relatime - overlay overlay ro
2 1 0:2 / /proc rw,nosuid - proc proc rw
3 1 0:3 / /dev rw,nosuid - tmpfs tmpfs rw
4 3 0:4 /null /dev/null rw,nosuid - devtmpfs devtmpfs rw
5 1 0:5 / /tmp rw,nosuid - tmpfs none rw
6 1 0:6 / /task/in ro,nosuid - tmpfs none rw
7 1 0:7 /data /task/out/events.jsonl rw,nosuid - tmpfs none rw
"""


def test_no_probe_can_be_given_the_port_that_it_asks() -> None:
    lowest = 32768  # that a new network namespace gives, whatever the host's own sysctl says
    assert [target.name for target in network.TARGETS if target.port >= lowest] == []


def test_mounts_that_may_be_written_to_are_told_from_those_that_may_not() -> None:
    assert files.mounts(MOUNTS) == []
    assert files.mounts(MOUNTS.replace("/ / ro", "/ / rw")) == ["/"]
    assert files.mounts(MOUNTS.replace("/task/in ro", "/task/in rw")) == ["/task/in"]
    assert files.mounts(MOUNTS + "8 1 0:8 / /mnt rw - tmpfs none ro\n") == ["/mnt"]


USUAL = """\
1 0 0:1 / / ro,relatime - overlay overlay ro
2 1 0:2 / /proc rw,nosuid - proc proc rw
3 2 0:2 /sys /proc/sys ro,nosuid - proc proc rw
4 2 0:3 /null /proc/keys rw,relatime - devtmpfs devtmpfs rw
5 1 0:4 / /sys ro,nosuid - sysfs sysfs ro
6 5 0:5 / /sys/fs/cgroup rw,nosuid - tmpfs tmpfs rw
7 6 0:6 / /sys/fs/cgroup/pids ro,nosuid - cgroup cgroup rw
8 1 0:7 / /dev rw,nosuid - tmpfs tmpfs rw
9 8 0:3 /null /dev/null rw,relatime - devtmpfs devtmpfs rw
10 8 0:3 /full /dev/zero rw,relatime - devtmpfs devtmpfs rw
11 1 0:8 /userdata/hostname /etc/hostname ro,nosuid - ext4 /dev/vda rw
12 1 0:9 /data /task/out/report rw,nosuid - tmpfs none rw
"""


@pytest.mark.parametrize(
    ("root", "point", "options"),
    [
        ("/usr/share/secrets", "/run/secrets", "ro"),
        ("/home/somebody", "/mnt", "ro"),
        ("/home/somebody", "/workspace/inner", "ro"),
        ("/kernel", "/proc/sys/kernel", "rw"),
        ("/", "/sys/fs/cgroup/memory", "rw"),
        ("/data", "/dev/shared", "rw"),
    ],
)
def test_what_is_mounted_beyond_the_usual_is_seen(root: str, point: str, options: str) -> None:
    assert others.unusual_mounts(USUAL) == []
    assert others.unusual_mounts(f"{USUAL}13 1 0:9 {root} {point} {options},nosuid - ext4 /dev/vda rw\n") == [point]


@pytest.mark.parametrize(
    ("names", "result"), [(["system-fips"], "refused"), (["key.pem", "system-fips"], "done"), ([], "done")]
)
def test_only_the_mark_of_a_host_in_fips_mode_may_stand_among_secrets(
    monkeypatch: pytest.MonkeyPatch, names: list[str], result: str
) -> None:
    (probe,) = (one for one in others.PROBES if one.name == "usual-mounts")
    monkeypatch.setattr(others.Path, "read_text", lambda _: f"{USUAL}13 1 0:9 /x /run/secrets ro - ext4 /dev/vda rw\n")
    monkeypatch.setattr(os, "listdir", lambda _: names)
    assert told(probe, FACTS)["result"] == result


@pytest.mark.parametrize(
    ("code", "result"),
    [
        *((errno.EPERM, "refused"), (errno.ENOSYS, "refused"), (errno.EAFNOSUPPORT, "refused")),
        *((errno.EPROTONOSUPPORT, "done"), (errno.ESOCKTNOSUPPORT, "done"), (errno.EINVAL, "done")),
    ],
)
def test_a_socket_to_which_the_kernel_objects_came_through_the_filter(
    monkeypatch: pytest.MonkeyPatch, code: int, result: str
) -> None:
    tried = []

    def made(*asked: int) -> None:
        tried.append(asked)
        raise OSError(code, "")

    monkeypatch.setattr(sockets.socket, "socket", made)
    names = {"other-families": 60 * 4, "other-protocols": 2 * 3 * 254, "netlink-others": 31}
    for probe in (one for one in main.PROBES if one.name in names):
        tried.clear()
        assert told(probe, FACTS)["result"] == result
        assert len(tried) == (names[probe.name] if result == "refused" else 1)


@pytest.mark.integration  # a Nix build may not make a file set-user-id
@pytest.mark.usefixtures("_setuid")
def test_programs_that_run_with_more_than_their_caller_has_are_found(tmp_path: Path) -> None:
    for name, mode in (("plain", 0o755), ("setuid", 0o4755), ("setgid", 0o2755)):
        path = tmp_path / name
        path.touch()
        path.chmod(mode)
    (tmp_path / "link").symlink_to("setuid")
    found = privileges.privileged_files((str(tmp_path), str(tmp_path / "nowhere")))
    assert sorted(Path(path).name for path in found) == ["setgid", "setuid"]


def test_all_classes_have_several_probes() -> None:
    groups = [probe.group for probe in main.PROBES]
    assert set(groups) == {
        "gateway ports",
        "host loopback",
        "dns",
        "metadata and link-local",
        "private and public addresses",
        "multicast, broadcast, ICMP",
        "raw, packet and VSOCK sockets",
        "abstract UNIX sockets",
        "netlink, nft, iptables",
        "new namespaces",
        "mount, pivot, chroot",
        "ptrace, keyctl, io_uring, bpf, perf",
        "/proc/sys, sysrq, /sys",
        "device nodes, setuid, core patterns",
        "writing outside the workdir",
        "another sandbox",
        "the podman socket",
        "secrets",
    }
    assert min(groups.count(group) for group in groups) >= 2


@pytest.mark.parametrize(
    ("code", "result"),
    [(errno.ENOSPC, "refused"), (errno.EAGAIN, "refused"), (errno.EACCES, "failed"), (errno.EROFS, "failed")],
)
def test_a_folder_that_can_not_be_written_to_is_not_a_bound_that_held(code: int, result: str) -> None:
    probe = Probe("disk", "exhaustion", lambda facts: exhaustion.bounded(_raise(OSError(code, "")), facts))
    assert told(probe, FACTS)["result"] == result


def test_a_device_is_told_by_its_number_and_its_place(tmp_path: Path) -> None:
    assert privileges.devices(["/dev/null", "/dev/full", "/dev", __file__]) == []
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    assert privileges.devices([str(link)]) == []
    assert privileges.devices(["/dev/../dev/null"]) == ["/dev/../dev/null (1:3)"]


def test_shared_memory_that_holds_anothers_mark_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (probe,) = (one for one in others.PROBES if one.name == "shared-memory")
    scan = os.scandir
    monkeypatch.setattr(os, "scandir", lambda _: scan(tmp_path))
    (tmp_path / "mine").touch()
    assert told(probe, {**FACTS, "mark": "mine"})["result"] == "refused"
    (tmp_path / "theirs").touch()
    assert told(probe, {**FACTS, "mark": "mine"})["detail"] == "in /dev/shm: theirs"
