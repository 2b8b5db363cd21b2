"""Machines to be judged: one that has all, from which the others differ in one thing."""

from pathlib import Path

from harness.pins import Closure
from harness.run.doctor.entering import TRIED, Tried
from harness.run.doctor.values import Check, Folder, Helper, Nix, RunPlace, Seen
from harness.sandbox import fitness
from harness.sandbox.base import Room
from harness.sandbox.mounts import Mount

GIB = 1 << 30
ROOM = Room(50 * GIB, 1_000_000)
DISK = Mount(Path("/"), "ext4", frozenset({"rw", "relatime"}))
DISTANT = Mount(Path("/home"), "nfs4", frozenset({"rw"}))
ALL_TRIED = Tried({name: Check(name, "ok", "tried") for name in TRIED}, None, None)


def folder(path: str, *, owner: int = 1000, room: Room = ROOM, mount: Mount = DISK) -> Folder:
    return Folder(Path(path), owner, 0o700, writable=True, room=room, mount=mount)


def helper(name: str, *, mode: int = 0o4755, mount: Mount = DISK) -> Helper:
    return Helper(fitness.Helper(Path("/usr/bin", name), mode, capable=False), "ab" * 32, mount)


FIT = Seen(
    env={"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": "/run/user/1000"},
    uid=1000,
    user=fitness.User(("erin", "1000"), in_passwd=True),
    release="6.12.38-amd64",
    machine="x86_64",
    files={
        "/proc/self/status": "Name:\tpython\nNoNewPrivs:\t0\n",
        "/proc/meminfo": "MemTotal: 32000000 kB\nMemAvailable: 24000000 kB\nSwapFree: 0 kB\n",
        "/proc/key-users": "    0: 50 49/49 40/1000000 800/25000000\n 1000: 3 3/3 3/200 60/20000\n",
        "/proc/sys/kernel/seccomp/actions_avail": "kill_process kill_thread trap errno user_notif trace log allow\n",
        "/proc/sys/kernel/pid_max": "4194304\n",
        "/proc/sys/kernel/threads-max": "250000\n",
        "/sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory pids\n",
        "/etc/subuid": "erin:100000:65536\n",
        "/etc/subgid": "erin:100000:65536\n",
    },
    sysctls={"kernel/unprivileged_userns_clone": "1", "user/max_user_namespaces": "125000"},
    helpers={name: helper(name) for name in fitness.HELPERS},
    ulimits={"nofile": 524288},
    cpus=8,
    now=1_790_000_000.0,
    nix=Nix("nix (Nix) 2.26.3", folder("/nix"), daemon=False),
    scratch=folder("/var/tmp/hermetic-1000"),
    runtime_dir=folder("/run/user/1000"),
    closure=Closure(Path("/nix/store/r"), Path("/nix/store/s"), "cd" * 32, "ef" * 32),
    versions={"podman": "podman version 4.3.1", "runc": "runc version 1.1.5"},
    run=RunPlace(folder("/srv/runs"), None, 0.0),
)
