"""The kernel's own doors: namespaces, mounts, other processes' memory, keys, io_uring, bpf, perf."""

import ctypes
import mmap
import os
from collections.abc import Callable

from .calls import call, reached
from .telling import Facts, Probe

NAMESPACES = {
    "user": 0x10000000, "network": 0x40000000, "mount": 0x20000, "pid": 0x20000000, "uts": 0x4000000,
    "ipc": 0x8000000, "cgroup": 0x2000000,
}  # fmt: skip
NEW_USER, SIGCHLD = 0x10000000, 17
REMOUNT, BIND, DETACH = 32, 4096, 2
HERE, CLONE_TREE = -100, 1
#: The kind of fanotify that takes no privilege.
REPORT_FID = 0x200


def _call(name: str, *arguments: object) -> Callable[[Facts], str]:
    return lambda _: reached(name, *arguments)


def _clone(name: str, *arguments: object) -> str:
    if call(name, *arguments) == 0:
        os._exit(0)
    return "a child was made"


def _enter(_: Facts) -> str:
    with open("/proc/1/ns/net") as file:  # noqa: PTH123  a descriptor is all that is wanted
        return f"setns gave {call('setns', file.fileno(), 0)}"


def _mount(kind: bytes, source: bytes, where: bytes, flags: int) -> Callable[[Facts], str]:
    return lambda _: f"mount gave {call('mount', source, where, kind, flags, None)}"


def _zeros(size: int) -> object:
    return ctypes.create_string_buffer(size)


def _software_event() -> object:
    """perf's arguments for what anybody may count by its default: an event of the process's own, outside the kernel."""
    asked = bytearray(128)
    asked[0] = 1  # PERF_TYPE_SOFTWARE
    asked[40] = 0x60  # exclude_kernel, exclude_hv
    return ctypes.create_string_buffer(bytes(asked), 128)


def _shared_mapping(path: str = "") -> Callable[[Facts], str]:
    """Memory that is shared and has no real file: the kernel keeps it also where no process is seen to have it."""

    def act(_: Facts) -> str:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC) if path else -1
        try:
            mmap.mmap(handle, mmap.PAGESIZE).close()
        finally:
            if path:
                os.close(handle)
        return "mapped"

    return act


def _clone3_arguments() -> object:
    return ctypes.create_string_buffer(NEW_USER.to_bytes(8, "little") + bytes(24) + bytes([SIGCHLD]) + bytes(47), 88)


SPACES: dict[str, Callable[[Facts], str]] = {
    **{f"unshare-{name}": _call("unshare", flag) for name, flag in NAMESPACES.items()},
    "clone-user": lambda _: _clone("clone", NEW_USER | SIGCHLD, 0, 0, 0, 0),
    "clone3-user": lambda _: _clone("clone3", _clone3_arguments(), 88),
    "setns": _enter,
}
MOUNTS: dict[str, Callable[[Facts], str]] = {
    "mount-tmpfs": _mount(b"tmpfs", b"none", b"/tmp", 0),
    "mount-proc": _mount(b"proc", b"none", b"/tmp", 0),
    "mount-bind": _mount(b"none", b"/usr", b"/tmp", BIND),
    "remount-root": _mount(b"none", b"none", b"/", REMOUNT | BIND),
    "unmount": _call("umount2", b"/dev/mqueue", DETACH),
    # A folder that isn't there: the privilege is looked at before it, and nothing changes.
    "pivot-root": _call("pivot_root", b"/nowhere", b"/nowhere"),
    "chroot": _call("chroot", b"/tmp"),
    "fsopen": _call("fsopen", b"tmpfs", 0),
    "open-tree": _call("open_tree", HERE, b"/", CLONE_TREE),
    "move-mount": _call("move_mount", HERE, b"/nowhere", HERE, b"/nowhere", 0),
    "mount-setattr": _call("mount_setattr", HERE, b"/nowhere", 0, _zeros(32), 32),
}
DOORS: dict[str, Callable[[Facts], str]] = {
    "ptrace": _call("ptrace", 0, 0, 0, 0),
    "process-vm-readv": _call("process_vm_readv", 1, None, 0, None, 0, 0),
    "process-vm-writev": _call("process_vm_writev", 1, None, 0, None, 0, 0),
    "process-madvise": _call("process_madvise", -1, None, 0, 0, 0),
    "take-descriptor": _call("pidfd_getfd", -1, 0, 0),
    "kcmp": _call("kcmp", 1, 1, 0, 0, 0),
    "keyctl": _call("keyctl", 0, -2, 1),
    "add-key": _call("add_key", b"user", b"harness", b"x", 1, -2),
    "request-key": _call("request_key", b"user", b"harness", None, -2),
    "io-uring": _call("io_uring_setup", 1, _zeros(120)),
    "io-contexts": _call("io_setup", 1, _zeros(8)),
    "semaphores": _call("semget", 0, 1, 0o1600),
    "message-queues": _call("msgget", 0, 0o1600),
    "memory-segments": _call("shmget", 0, mmap.PAGESIZE, 0o1600),
    "memory-files": _call("memfd_create", b"harness", 0),
    "secret-memory": _call("memfd_secret", 0),
    "shared-mapping": _shared_mapping(),
    "mapping-of-zeros": _shared_mapping("/dev/zero"),
    "bpf": _call("bpf", 0, _zeros(128), 128),
    "perf": _call("perf_event_open", _software_event(), 0, -1, -1, 0),
    "userfaultfd": _call("userfaultfd", 1),
    "kernel-log": _call("syslog", 10, None, 0),
    "open-by-handle": _call("open_by_handle_at", HERE, _zeros(64), 0),
    "name-to-handle": _call("name_to_handle_at", HERE, b"/", _zeros(64), _zeros(8), 0),
    "fanotify": _call("fanotify_init", REPORT_FID, 0),
    "kexec": _call("kexec_load", 0, 0, None, 0),
    "load-module": _call("init_module", None, 0, b""),
    "set-clock": _call("clock_settime", 0, None),
    "swap": _call("swapon", b"/nowhere", 0),
    "accounting": _call("acct", b"/nowhere"),
    "quota": _call("quotactl", 0x80000700, b"/nowhere", 0, None),
    "quota-descriptor": _call("quotactl_fd", -1, 0x80000700, 0, None),
    "host-name": _call("sethostname", b"sandbox", 7),
}
PROBES = (
    *(Probe(name, "new namespaces", act, apart=True) for name, act in SPACES.items()),
    *(Probe(name, "mount, pivot, chroot", act, apart=True) for name, act in MOUNTS.items()),
    *(Probe(name, "ptrace, keyctl, io_uring, bpf, perf", act, apart=True) for name, act in DOORS.items()),
)
