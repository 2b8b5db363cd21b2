"""What holds a sandbox's limits on this host, found out by looking and never by believing a request."""

import os
import resource
from collections.abc import Mapping
from pathlib import Path

from harness.sandbox.spec import CPU_PERIOD
from harness.sandbox.values import Held, Limits

CGROUPS = Path("/sys/fs/cgroup")
CONTROLLERS = frozenset({"cpu", "memory", "pids"})


def own_cgroup(text: str) -> str | None:
    """The cgroup v2 path out of /proc/PID/cgroup; None on a host that has only the old kind."""
    for line in text.splitlines():
        if line.startswith("0::"):
            return line[3:]
    return None


def delegated(root: Path = CGROUPS, process: str = "self") -> bool:
    """Whether this process's cgroup is ours to divide: version 2, with all controllers, and writable.

    On a hybrid host ``root`` has no ``cgroup.controllers``: its controllers belong to version 1.
    """
    path = own_cgroup(Path(f"/proc/{process}/cgroup").read_text())
    if path is None or not (root / "cgroup.controllers").exists():
        return False
    group = root / path.lstrip("/")
    try:
        controllers = set((group / "cgroup.controllers").read_text().split())
    except OSError:
        return False
    # The root cgroup of a host is nobody's to divide, even for its superuser.
    return path != "/" and controllers >= CONTROLLERS and os.access(group / "cgroup.procs", os.W_OK)


def in_force(group: Path, limits: Limits) -> bool:
    """Whether the files of a sandbox's cgroup really hold ``limits``."""
    wanted = {
        "memory.max": str(limits.memory),
        "pids.max": str(limits.pids),
        "cpu.max": f"{int(limits.cpus * CPU_PERIOD)} {CPU_PERIOD}",
    }
    if (group / "memory.swap.max").exists():  # a kernel without swap accounting has none
        wanted["memory.swap.max"] = "0"
    try:
        return all((group / name).read_text().strip() == value for name, value in wanted.items())
    except OSError:
        return False


def cgroup_of(pid: int, root: Path = CGROUPS) -> Path | None:
    """The folder of a process's cgroup."""
    path = own_cgroup(Path(f"/proc/{pid}/cgroup").read_text())
    return None if path is None else root / path.lstrip("/")


def end_whole(group: Path) -> None:
    """Has the kernel end all of a sandbox, not only its largest process, when it is out of memory: as the watchdog
    does on other hosts, so that a rollout comes to the same end on both."""
    (group / "memory.oom.group").write_text("1")


def memory_ran_out(events: int) -> bool | None:
    """Whether the kernel killed for want of memory; ``events`` is an open memory.events.

    None when the cgroup is gone already: it goes soon after the last process.
    """
    try:
        text = os.pread(events, 4096, 0).decode()
    except OSError:
        return None
    return any(line.startswith("oom_kill ") and line != "oom_kill 0" for line in text.splitlines())


def ceilings() -> Mapping[str, int]:
    """This process's hard limits, by the names that ulimits have in a create call; without those that are endless."""
    kinds = {
        "core": resource.RLIMIT_CORE,
        "fsize": resource.RLIMIT_FSIZE,
        "nofile": resource.RLIMIT_NOFILE,
        "nproc": resource.RLIMIT_NPROC,
    }
    hard = {name: resource.getrlimit(kind)[1] for name, kind in kinds.items()}
    return {name: value for name, value in hard.items() if value != resource.RLIM_INFINITY}


def held(cgroups: bool) -> Mapping[str, Held]:
    """Name of each limit -> what holds it, once it is known whether a cgroup does."""
    return {
        "cpus": "cgroup" if cgroups else "none",
        "memory": "cgroup" if cgroups else "watchdog",
        "pids": "cgroup" if cgroups else "ulimit",
        "open_files": "ulimit",
        "workdir": "tmpfs",
        "tmp": "tmpfs",
        "shm": "tmpfs",
        "inodes": "tmpfs",
    }
