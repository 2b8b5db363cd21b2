"""The kernel's files: settings below /proc/sys, sysrq, /sys, and what tells about the host."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from .telling import Absent, Facts, Probe

GROUP = "/proc/sys, sysrq, /sys"
#: Opened for writing, and closed again: nothing is written.
WRITABLE = {
    "sysctl-hostname": "/proc/sys/kernel/hostname",
    "sysctl-forwarding": "/proc/sys/net/ipv4/ip_forward",
    "sysctl-ping": "/proc/sys/net/ipv4/ping_group_range",
    "sysctl-overcommit": "/proc/sys/vm/overcommit_memory",
    "sysctl-files": "/proc/sys/fs/file-max",
    "sysctl-namespaces": "/proc/sys/user/max_user_namespaces",
    "sysrq": "/proc/sysrq-trigger",
    "irq": "/proc/irq/default_smp_affinity",
    "sys-power": "/sys/power/state",
    "sys-hugepages": "/sys/kernel/mm/transparent_hugepage/enabled",
}
#: Read; a mask gives nothing.
READABLE = {
    "kernel-memory": "/proc/kcore",
    "kernel-messages": "/proc/kmsg",
    "kernel-keys": "/proc/keys",
    "kernel-timers": "/proc/timer_list",
}


def _write(path: str, _: Facts) -> str:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CLOEXEC))
    except FileNotFoundError as error:
        raise Absent("there is no such file") from error
    return f"{path} could be opened for writing"


def _read(path: str, _: Facts) -> str:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise Absent("there is no such file") from error
    try:
        found = os.read(handle, 64)
    finally:
        os.close(handle)
    if found:
        return f"{path} could be read"
    raise PermissionError("masked")


def _read_only(folder: str, _: Facts) -> str:
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        raise PermissionError("read-only")
    return f"{folder} is not read-only"


def _firmware(_: Facts) -> str:
    folder = Path("/sys/firmware")
    if not folder.exists():
        raise Absent("there is no such folder")
    if any(folder.iterdir()):
        return f"{folder} can be listed"
    raise PermissionError("masked")


def _cgroup(_: Facts) -> str:
    folder = Path("/sys/fs/cgroup/harness")
    folder.mkdir()
    folder.rmdir()
    return "a cgroup was made"


FILES: dict[str, Callable[[Facts], str]] = {
    **{name: partial(_write, path) for name, path in WRITABLE.items()},
    **{name: partial(_read, path) for name, path in READABLE.items()},
    "sysctls-read-only": partial(_read_only, "/proc/sys"),
    "sys-read-only": partial(_read_only, "/sys"),
    "firmware": _firmware,
    "make-cgroup": _cgroup,
}
PROBES = tuple(Probe(name, GROUP, act) for name, act in FILES.items())
