"""Each kind of unfit machine: the check that says so, what it found, and the command that helps."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.errors import HostUnfitError
from harness.run.doctor.diagnosis import diagnose
from harness.run.doctor.entering import read
from harness.run.doctor.values import Check, Nix, RunPlace, Seen
from harness.sandbox import base, fitness, subids
from harness.sandbox.base import Room
from harness.sandbox.mounts import Mount
from tests.run.doctor.machines import ALL_TRIED, DISK, DISTANT, FIT, folder, helper

MIB = 1 << 20


def _files(**texts: str | None) -> Mapping[str, str]:
    """The fit machine's files with others of these last names in their place; None: the kernel has none."""
    replaced = {
        path: texts.get(Path(path).name.replace("-", "_").replace(".", "_"), text) for path, text in FIT.files.items()
    }
    return {path: text for path, text in replaced.items() if text is not None}


def _amiss(seen: Seen, tried: Any = ALL_TRIED) -> dict[str, Check]:
    return {one.name: one for one in diagnose(seen, tried) if one.state != "ok"}


def test_a_fit_machine_needs_no_advice() -> None:
    checks = diagnose(FIT, ALL_TRIED)
    assert {one.state for one in checks} == {"ok"}
    assert {one.advice for one in checks} == {""}
    assert len({one.name for one in checks}) == len(checks)


def test_root_of_a_namespace_needs_no_helper_and_no_line_in_a_file() -> None:
    ids = subids.IdRange(1, 65536)
    seen = attrs.evolve(
        FIT,
        uid=0,
        within=fitness.IdSetup({}, ids, ids),
        files={path: text for path, text in FIT.files.items() if not path.startswith("/etc/sub")}
        | {"/proc/self/status": "NoNewPrivs:\t1\n"},
        helpers=dict.fromkeys(fitness.HELPERS),
        **{name: attrs.evolve(getattr(FIT, name), owner=0) for name in ("scratch", "runtime_dir")},
        nix=attrs.evolve(FIT.nix, folder=folder("/nix", owner=0)),
    )
    found = {one.name: one for one in diagnose(seen, ALL_TRIED)}
    assert {name: one.found for name, one in found.items() if one.state != "ok"} == {}
    assert found["user"].found == "root of a user namespace or container; outside of it uid 1000"
    assert found["subuid"].found.startswith("65536 ids from 1 on: 32 sandboxes at a time")


@pytest.mark.parametrize(
    ("different", "found"),
    [
        ({}, "out of the Nix store: yes; as a squashfs image: yes"),
        (
            {"fuse": "/dev/fuse: Permission denied"},
            "out of the Nix store: yes; as a squashfs image: no, /dev/fuse: Permission denied (as root: chmod 666 /dev/fuse, as udev itself does)",  # noqa: E501
        ),
        (
            {"fuse": "/dev/fuse: No such file or directory"},
            "out of the Nix store: yes; as a squashfs image: no, /dev/fuse: No such file or directory",
        ),
        ({"image": "/home/erin/image"}, "out of the Nix store: not seen from here; as a squashfs image: yes"),
    ],
)
def test_in_which_ways_the_harness_can_run_here(different: Mapping[str, Any], found: str) -> None:
    checks = {one.name: one for one in diagnose(attrs.evolve(FIT, **different), ALL_TRIED)}
    assert checks["modes"] == Check("modes", "ok", found)


def test_out_of_an_image_no_nix_is_missed() -> None:
    seen = attrs.evolve(FIT, image="/home/erin/image", nix=Nix(None, None, daemon=False))
    assert _amiss(seen) == {}


OTHERS: Mapping[str, tuple[Mapping[str, Any], str, str, str, str]] = {
    # what is different, the check, its state, words of what was found, words of the advice
    "another processor": ({"machine": "aarch64"}, "kernel", "failed", "aarch64", "x86_64"),
    "namespaces forbidden": (
        {"sysctls": {**FIT.sysctls, "kernel/unprivileged_userns_clone": "0"}},
        *(
            "user namespaces",
            "failed",
            "unprivileged_userns_clone is 0",
            "sysctl -w kernel.unprivileged_userns_clone=1",
        ),
    ),
    "hardly any namespaces": (
        {"sysctls": {"user/max_user_namespaces": "18"}},
        *("number of namespaces", "warning", "more than 2 sandboxes", "sysctl -w user.max_user_namespaces=65536"),
    ),
    "too few namespaces": (
        {"sysctls": {"user/max_net_namespaces": "5"}},
        *("number of namespaces", "failed", "max_net_namespaces is 5", "sysctl -w user.max_net_namespaces=65536"),
    ),
    "no new privileges": (
        {"files": _files(status="NoNewPrivs:\t1\n")},
        *("user namespaces", "failed", "no-new-privileges", "Start it without"),
    ),
    "no filter of system calls": (
        {"files": _files(actions_avail=None)},
        *("seccomp", "failed", "can't filter system calls", "CONFIG_SECCOMP_FILTER"),
    ),
    "cgroup v1": (
        {"files": {**_files(cgroup_controllers=None), "/proc/cgroups": "#subsys_name\tn\ncpu\t1\nmemory\t2\n"}},
        *("cgroups", "warning", "version 1, with the controllers cpu memory", "unified_cgroup_hierarchy=1"),
    ),
    "keys used up": (
        {"files": _files(key_users=" 1000: 200 200/200 199/200 60/20000\n")},
        *("kernel keyring", "warning", "199 of this user's 200 keys", "kernel.keys.maxkeys"),
    ),
    "few processes": (
        {"files": {**FIT.files, "/sys/fs/cgroup/job/pids.max": "700\n"}},
        *("number of processes", "warning", "at most 700 (/sys/fs/cgroup/job/pids.max)", "/sys/fs/cgroup/job/pids.max"),
    ),
    "root": (
        {"uid": 0, "runtime_dir": None, "env": {}, "nix": attrs.evolve(FIT.nix, folder=folder("/nix", owner=0))},
        *("user", "warning", "root", "sh nix/setup.sh"),
    ),
    "a uid without a name": (
        {
            "user": fitness.User(("1000",), in_passwd=False),
            "files": _files(subuid="1000:100000:65536", subgid="1000:1:65536"),
        },
        *("user", "warning", "not in /etc/passwd", "Set USER"),
    ),
    "no subuids": (
        {"files": _files(subuid="frank:100000:65536\n")},
        *("subuid", "failed", "gives user erin no range", "usermod --add-subuids 165536-231071 erin"),
    ),
    "no file of subgids": (
        {"files": _files(subgid=None)},
        *("subgid", "failed", "gives user erin no range", "usermod --add-subgids 100000-165535 erin"),
    ),
    "a user of a directory without subuids": (
        {"user": fitness.User(("erin", "1000"), in_passwd=False), "files": _files(subuid="")},
        *("subuid", "failed", "gives user erin no range", "echo erin:100000:65536 >> /etc/subuid"),
    ),
    "no newuidmap": (
        {"helpers": {"newuidmap": None, "newgidmap": helper("newgidmap")}},
        *("newuidmap", "failed", "not on PATH (/usr/bin:/bin)", "apt-get install uidmap"),
    ),
    "the setuid bit lost": (
        {"helpers": {"newuidmap": helper("newuidmap"), "newgidmap": helper("newgidmap", mode=0o755)}},
        *("newgidmap", "failed", "neither setuid", "chmod u+s /usr/bin/newgidmap"),
    ),
    "setuid in vain": (
        {"helpers": {"newuidmap": helper("newuidmap", mount=Mount(Path("/usr"), "ext4", frozenset({"nosuid"})))}},
        *("newuidmap", "failed", "mounted nosuid", "mount -o remount,suid /usr"),
    ),
    "little memory": (
        {"files": _files(meminfo="MemTotal: 4000000 kB\nMemAvailable: 3000000 kB\n")},
        *("memory", "warning", "2929 MiB free", "--memory-mib"),
    ),
    "no memory": (
        {"files": _files(meminfo="MemTotal: 4000000 kB\nMemAvailable: 300000 kB\n")},
        *("memory", "failed", "292 MiB free", "another machine"),
    ),
    "one processor": ({"cpus": 1}, "processors", "warning", "1 that", "--timeout"),
    "tight ulimits": ({"ulimits": {"nofile": 1024}}, "ulimits", "warning", "nofile 1024", "limits.conf"),
    "files bounded": ({"ulimits": {"fsize": 1 << 30}}, "ulimits", "warning", "fsize", "limits.conf"),
    "a clock of 1970": ({"now": 3600.0}, "clock", "warning", "1970-01-01 01:00:00", "date -s"),
    "a login node's XDG_RUNTIME_DIR": (
        {"runtime_dir": None},
        *("XDG_RUNTIME_DIR", "warning", "/run/user/1000 is not there", "Unset it"),
    ),
    "somebody else's XDG_RUNTIME_DIR": (
        {"runtime_dir": folder("/run/user/1000", owner=0)},
        *("XDG_RUNTIME_DIR", "warning", "not this user's alone", "Unset it"),
    ),
    "a full disk": (
        {"scratch": folder("/var/tmp/h", room=Room(3 * MIB, 1_000_000))},
        *("scratch folder", "failed", "3 MiB", base.ELSEWHERE),
    ),
    "a small disk": (
        {"scratch": folder("/var/tmp/h", room=Room(200 * MIB, 1_000_000))},
        *("scratch folder", "warning", "200 MiB", base.ELSEWHERE),
    ),
    "no inodes": (
        {"scratch": folder("/var/tmp/h", room=Room(50 << 30, 12))},
        *("scratch folder", "failed", "12 inodes", base.ELSEWHERE),
    ),
    "a scratch folder that can't be made": (
        {"scratch": HostUnfitError("/x can't be made: Permission denied.", base.ELSEWHERE)},
        *("scratch folder", "failed", "/x can't be made", base.ELSEWHERE),
    ),
    "scratch over NFS": (
        {"scratch": folder("/home/erin/h", mount=DISTANT)},
        *("scratch folder's file system", "warning", "nfs4", base.ELSEWHERE),
    ),
    "no Nix": (
        {"nix": attrs.evolve(FIT.nix, version=None)},
        *("nix", "warning", "no nix on PATH", "apt-get install"),
    ),
    "root's store without a daemon": (
        {"nix": attrs.evolve(FIT.nix, folder=folder("/nix", owner=0))},
        *("/nix", "warning", "without a daemon", "systemctl start nix-daemon"),
    ),
    "no /nix": ({"nix": attrs.evolve(FIT.nix, folder=None)}, "/nix", "failed", "no /nix", "chown erin: /nix"),
    "no closure": (
        {"closure": HostUnfitError("HARNESS_PINS is not set.", "Start the harness by `nix run`, which sets it.")},
        *("closure", "failed", "HARNESS_PINS", "nix run"),
    ),
    "a program that can't be run": (
        {"versions": {"podman": "", "runc": "runc version 1.1.5"}},
        *("programs", "failed", "podman of the container runtime", "nix build"),
    ),
    "no hard links": (
        {"run": RunPlace(folder("/srv/runs"), "/srv/runs: no hard link can be made: Operation not permitted", 0.0)},
        *("hard links in the run folder", "failed", "Operation not permitted", "--run"),
    ),
    "a run folder without room": (
        {"run": RunPlace(folder("/srv/runs", room=Room(100 * MIB, None)), None, 0.0)},
        *("run folder", "failed", "100 MiB", "another disk"),
    ),
    "a server whose clock is off": (
        {"run": RunPlace(folder("/srv/runs", mount=DISTANT), None, -600.0)},
        *("clock of the run folder", "warning", "600.0 s behind", "clocks"),
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_machine(name: str) -> None:
    """One thing is different, and one check says so."""
    different, check, state, found, advice = OTHERS[name]
    amiss = _amiss(attrs.evolve(FIT, **different))
    assert {one.name: one.state for one in amiss.values()} == {check: state}
    assert found in amiss[check].found
    assert advice in amiss[check].advice


def test_a_user_of_a_directory_service_is_fit() -> None:
    seen = attrs.evolve(FIT, user=fitness.User(("erin", "1000"), in_passwd=False))
    assert _amiss(seen) == {}
    assert "erin of a directory service" in next(one.found for one in diagnose(seen, ALL_TRIED) if one.name == "user")


def test_of_several_ranges_of_ids_the_largest_counts() -> None:
    def found(subuid: str) -> str:
        checks = diagnose(attrs.evolve(FIT, files=_files(subuid=subuid)), ALL_TRIED)
        return next(one.found for one in checks if one.name == "subuid")

    assert found("erin:100000:65536\n") == "65536 ids from 100000 on: 32 sandboxes at a time"
    two = found("erin:100000:4000\nerin:200000:8000\n")
    assert two == "8000 ids from 200000 on (the largest of 2 ranges): 4 sandboxes at a time"


def test_a_run_folder_over_nfs_is_fit() -> None:
    seen = attrs.evolve(FIT, run=RunPlace(folder("/home/erin/runs", mount=DISTANT), None, 1.0))
    assert _amiss(seen) == {}


def test_a_tmp_that_is_mounted_noexec_is_fit() -> None:
    """Nothing is started from there: the harness's own programs are in the store, and overlays have their own flag."""
    mount = attrs.evolve(DISK, options=frozenset({"noexec", "nosuid", "nodev"}))
    assert _amiss(attrs.evolve(FIT, scratch=folder("/tmp/hermetic-1000", mount=mount))) == {}


UBUNTU = attrs.evolve(FIT, sysctls={fitness.APPARMOR: "1", "user/max_user_namespaces": "125000"})


def test_ubuntu_with_apparmors_restriction() -> None:
    """The failure to enter the namespace has its cause named; what comes after it was not tried."""
    said = "The harness's namespace can't be made: unshare: write failed /proc/self/uid_map: Operation not permitted."
    amiss = _amiss(UBUNTU, read({"checks": [Check("namespace", "failed", said, "").to_json()]}))
    assert amiss["apparmor"].state == "failed"
    assert "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" in amiss["apparmor"].advice
    untried = [one for one in amiss.values() if one.state == "not known"]
    assert [one.name for one in untried] == ["overlay", "tmpfs", "nftables", "sandbox", "limits"]
    assert {one.advice for one in untried} == {"Mend this first: namespace."}


def test_ubuntu_with_a_profile_for_our_unshare() -> None:
    assert _amiss(UBUNTU) == {}


def test_cgroup_v2_that_was_not_handed_over() -> None:
    """That a watchdog is in the place of the kernel is a warning, with the reason."""
    limits = Check("limits", "warning", "memory by watchdog (the cgroup /sys/fs/cgroup/x is not ours)", "loginctl")
    tried = attrs.evolve(ALL_TRIED, checks={**ALL_TRIED.checks, "limits": limits})
    assert _amiss(FIT, tried) == {"limits": limits}
