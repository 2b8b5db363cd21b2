"""Device nodes, set-user-id files, core dumps, and what the process is allowed."""

import os
import resource
import stat
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from .calls import call
from .others import mount_points, walk
from .telling import Facts, Probe

GROUP = "device nodes, setuid, core patterns"
#: What the container runtime gives to every container (OCI runtime specification, default devices), and podman's own.
DEVICES = frozenset(
    {
        *("full", "null", "ptmx", "random", "tty", "urandom", "zero", "console"),
        *("core", "fd", "mqueue", "pts", "shm", "stderr", "stdin", "stdout"),
    }
)
#: Their numbers, of Documentation/admin-guide/devices.txt; a terminal has one of the last major's. /dev/zero is another
#: way to /dev/full (see the sandbox's helper).
NUMBERS = frozenset({(1, 3), (1, 5), (1, 7), (1, 8), (1, 9), (5, 0), (5, 1), (5, 2)})
TERMINALS = 136
OPENED = "mem port kmsg fuse kvm net/tun loop-control mapper/control sda vda nvme0n1 vsock vhost-vsock dri/card0 uinput"
PROGRAMS = ("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/lib")
WRITABLE = ("/tmp", "/workspace", "/home", "/dev/shm", "/run")  # noqa: S108
NO_NEW_PRIVILEGES = 39


def _listed(_: Facts) -> str:
    more = sorted(path.name for path in Path("/dev").iterdir() if path.name not in DEVICES)
    if more:
        return f"more than the usual: {', '.join(more)}"
    raise PermissionError("only the usual ones")


def devices(paths: Iterable[str]) -> list[str]:
    """Device nodes that are none of the usual ones, whatever they are called, and any that don't stand in /dev."""
    found = []
    for path in paths:
        status = os.lstat(path)
        number = os.major(status.st_rdev), os.minor(status.st_rdev)
        known = number in NUMBERS or number[0] == TERMINALS
        usual = known and stat.S_ISCHR(status.st_mode) and str(Path(path).parent) in ("/dev", "/dev/pts")
        if (stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)) and not usual:
            found.append(f"{path} ({number[0]}:{number[1]})")
    return found


def _unusual(_: Facts) -> str:
    points = mount_points()
    places = dict.fromkeys([*points, *(entry.path for folder in ("/dev", *points) for entry in walk(folder))])
    if found := devices(places):
        return f"there are: {', '.join(found)}"
    raise PermissionError("only the usual ones")


def _opened(_: Facts) -> str:
    refused = []
    for name in OPENED.split():
        try:
            os.close(os.open(f"/dev/{name}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        except OSError as error:
            refused.append(error)
        else:
            return f"/dev/{name} could be opened"
    raise refused[-1]


def _node(kind: int, major: int, minor: int, _: Facts) -> str:
    path = f"/tmp/node-{kind}"  # noqa: S108  the sandbox's own
    os.mknod(path, kind | 0o666, os.makedev(major, minor))
    os.unlink(path)  # noqa: PTH108  beside mknod
    return "made"


def _flags(flag: int, what: str, _: Facts) -> str:
    without = [folder for folder in WRITABLE if not os.statvfs(folder).f_flag & flag]
    if without:
        return f"not {what}: {', '.join(without)}"
    raise PermissionError(what)


def privileged_files(folders: tuple[str, ...]) -> list[str]:
    """Programs that run with more than their caller has."""
    found = []
    for folder in dict.fromkeys(str(Path(name).resolve()) for name in folders if Path(name).is_dir()):
        for entry in os.scandir(folder):
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISREG(mode) and (mode & (stat.S_ISUID | stat.S_ISGID) or _capable(entry.path)):
                found.append(entry.path)
    return found


def _capable(path: str) -> bool:
    return "security.capability" in os.listxattr(path, follow_symlinks=False)


def _setuid(_: Facts) -> str:
    found = privileged_files((*PROGRAMS, *WRITABLE))
    if found:
        return f"there are: {', '.join(found)}"
    raise PermissionError("there are none")


def _other_user(_: Facts) -> str:
    """Root has no privilege to become another either."""

    os.setuid(0 if os.getuid() else 1)
    return "became another user"


def _other_groups(_: Facts) -> str:
    os.setgroups([0])
    return "took other groups"


def _groups(_: Facts) -> str:
    """A sandbox has one user and that user's group; no further one, whose files it could read."""
    more = sorted(set(os.getgroups()) - {os.getgid()})
    if more:
        return f"it is in {', '.join(map(str, more))}"
    raise PermissionError("none but its own")


def _no_new_privileges(_: Facts) -> str:
    if call("prctl", NO_NEW_PRIVILEGES, 0, 0, 0, 0) == 1:
        raise PermissionError("set")
    return "not set"


def _status() -> dict[str, str]:
    return dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line)


def _capabilities(_: Facts) -> str:
    had = {name: value for name, value in _status().items() if name.startswith("Cap") and int(value, 16)}
    if had:
        return ", ".join(f"{name} {value}" for name, value in had.items())
    raise PermissionError("none")


def _filter(_: Facts) -> str:
    if _status().get("Seccomp") == "2":
        raise PermissionError("on")
    return "there is none"


def _core_pattern(_: Facts) -> str:
    os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY | os.O_CLOEXEC))
    return "could be opened for writing"


def _core_size(_: Facts) -> str:
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    if (soft, hard) == (0, 0):
        raise PermissionError("no core is dumped")
    return f"up to {hard} bytes"


CHECKS: dict[str, Callable[[Facts], str]] = {
    "devices-listed": _listed,
    "devices-elsewhere": _unusual,
    "devices-opened": _opened,
    "make-character-device": partial(_node, stat.S_IFCHR, 1, 1),
    "make-block-device": partial(_node, stat.S_IFBLK, 8, 0),
    "folders-without-devices": partial(_flags, os.ST_NODEV, "nodev"),
    "folders-without-setuid": partial(_flags, os.ST_NOSUID, "nosuid"),
    "setuid-files": _setuid,
    "other-groups": _groups,
    "no-new-privileges": _no_new_privileges,
    "capabilities": _capabilities,
    "system-call-filter": _filter,
    "core-pattern": _core_pattern,
    "core-size": _core_size,
}
CHANGES: dict[str, Callable[[Facts], str]] = {
    "become-another-user": _other_user,
    "take-other-groups": _other_groups,
}
PROBES = (
    *(Probe(name, GROUP, act) for name, act in CHECKS.items()),
    *(Probe(name, GROUP, act, apart=True) for name, act in CHANGES.items()),
)
