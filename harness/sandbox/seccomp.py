"""The sandbox's system call filter, derived from the container runtime's default."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

ALLOW, ERRNO = "SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO"
ENOSYS, EAFNOSUPPORT = 38, 97
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_VSOCK = 1, 2, 10, 16, 40
NETLINK_ROUTE = 0
PROTOCOLS = (0, 6, 17)  # the family's default, TCP, UDP
#: NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET of clone(2).
NEW_NAMESPACES = 0x7E020080
MAP_SHARED, MAP_ANONYMOUS = 0x01, 0x20

#: Calls that no benchmark needs, by what they lead to.
GROUPS = {
    "allowed below, with conditions": "socketcall socket socketpair clone clone3 mmap mmap2",
    "other namespaces": "unshare setns",
    "mounts": "mount umount umount2 move_mount open_tree mount_setattr pivot_root chroot",
    "mounts, the new way": "fsopen fsconfig fsmount fspick",
    "a way round this filter": "io_uring_setup io_uring_enter io_uring_register",
    "the kernel's keys": "add_key keyctl request_key",
    "other processes": "ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd",
    "memory that no process is seen to hold, which the watchdog would miss": (
        "memfd_create memfd_secret shmget msgget semget"
    ),
    "what all of a machine share a small number of": "io_setup",
    "the kernel's machinery": "bpf perf_event_open userfaultfd kexec_load kexec_file_load syslog acct reboot",
    "files without their paths": "name_to_handle_at open_by_handle_at fanotify_init fanotify_mark",
    "disks": "quotactl quotactl_fd swapon swapoff",
}
FORBIDDEN = frozenset(name for names in GROUPS.values() for name in names.split())
#: Calls that the default allows to those with a capability alone, or to nobody: a derived filter never allows one.
PRIVILEGED = (
    "clock_settime clock_settime64 delete_module finit_module init_module ioperm iopl lookup_dcookie migrate_pages "
    "move_pages query_module setdomainname sethostname settimeofday stime sysfs uselib vhangup vm86 vm86old vmsplice"
)
_RULE = frozenset({"names", "action", "args", "comment", "includes", "excludes", "errnoRet", "errno"})


def _equal(index: int, value: int) -> dict[str, Any]:
    return {"index": index, "value": value, "op": "SCMP_CMP_EQ"}


def _rule(name: str, action: str, args: Iterable[Mapping[str, Any]] = (), errno: int | None = None) -> dict[str, Any]:
    rule: dict[str, Any] = {"names": [name], "action": action, "args": list(args)}
    return rule if errno is None else {**rule, "errnoRet": errno}


def sockets() -> list[dict[str, Any]]:
    """Sockets of four families only; AF_VSOCK would reach a hypervisor from any network namespace."""
    internet = [
        _rule("socket", ALLOW, [_equal(0, family), _equal(2, protocol)])
        for family in (AF_INET, AF_INET6)
        for protocol in PROTOCOLS
    ]
    return [
        _rule("socket", ALLOW, [_equal(0, AF_UNIX)]),
        *internet,
        _rule("socket", ALLOW, [_equal(0, AF_NETLINK), _equal(2, NETLINK_ROUTE)]),
        _rule("socket", ERRNO, [_equal(0, AF_VSOCK)], EAFNOSUPPORT),
        _rule("socketpair", ALLOW, [_equal(0, AF_UNIX)]),
    ]


def _masked(index: int, mask: int, value: int) -> dict[str, Any]:
    return {"index": index, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}


def mappings() -> list[dict[str, Any]]:
    """Memory and files, but no memory that is shared and has no file: it can be let go and still be kept by the kernel,
    where the watchdog, which weighs what processes have, doesn't see it. Files in memory have bounds of their own."""
    both = MAP_SHARED | MAP_ANONYMOUS
    return [_rule("mmap", ALLOW, [_masked(3, both, value)]) for value in (0, MAP_SHARED, MAP_ANONYMOUS)]


def processes() -> list[dict[str, Any]]:
    """New processes and threads, but no new namespaces; clone3 hides its flags, and libc falls back to clone."""
    return [_rule("clone", ALLOW, [_masked(0, NEW_NAMESPACES, 0)]), _rule("clone3", ERRNO, errno=ENOSYS)]


def derive(default: Mapping[str, Any]) -> dict[str, Any]:
    """The strict profile out of the runtime's default one (the parsed share/containers/seccomp.json).

    Dropped are the forbidden calls, all that a capability would allow (the sandbox has none), other machines, and every
    way to make a call but the native one: the 32-bit entry would hide a socket's family behind a pointer.
    """
    rules = []
    for rule in default["syscalls"]:
        only = rule.get("includes", {})
        if only.get("caps") or "amd64" not in only.get("arches", ["amd64"]):
            continue
        names = sorted(set(rule["names"]) - FORBIDDEN)
        if names:
            rules.append({**rule, "names": names})
    return {
        **default,
        "archMap": [{"architecture": "SCMP_ARCH_X86_64", "subArchitectures": []}],
        "syscalls": [*rules, *sockets(), *mappings(), *processes()],
    }


def profile(default: bytes) -> bytes:
    """The strict profile as JSON, the same bytes for the same default."""
    return json.dumps(derive(json.loads(default)), sort_keys=True, indent=1).encode()


def strict(text: bytes) -> bool:
    """Whether a profile that was kept is one that `profile` makes: refuses what it doesn't name, and deriving it once
    more changes nothing."""
    try:
        kept = json.loads(text)
        derived = kept["defaultAction"] == ERRNO and derive(kept) == kept
        return bool(derived and all(map(_harmless, kept["syscalls"])))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def _harmless(rule: Mapping[str, Any]) -> bool:
    """Whether a rule of a derived filter names no call that only a privileged one would allow, nor says more than its
    kind has."""
    refused = rule["action"] == ERRNO
    return set(rule) <= _RULE and (refused or set(PRIVILEGED.split()).isdisjoint(rule["names"]))
