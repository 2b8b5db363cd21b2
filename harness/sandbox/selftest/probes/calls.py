"""System calls by number, also by the entry of 32-bit programs."""

import ctypes
import errno
import mmap
import os

from .telling import refusal

#: Of x86_64, out of the kernel's arch/x86/entry/syscalls/syscall_64.tbl.
NUMBERS = {
    "shmget": 29, "socket": 41, "clone": 56, "semget": 64, "msgget": 68,
    "ptrace": 101, "syslog": 103, "pivot_root": 155, "prctl": 157,
    "chroot": 161, "acct": 163, "mount": 165, "umount2": 166, "swapon": 167, "sethostname": 170, "init_module": 175,
    "quotactl": 179, "io_setup": 206, "clock_settime": 227, "kexec_load": 246, "add_key": 248, "request_key": 249,
    "keyctl": 250, "unshare": 272, "inotify_init1": 294, "perf_event_open": 298, "fanotify_init": 300,
    "name_to_handle_at": 303, "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310,
    "process_vm_writev": 311, "kcmp": 312, "memfd_create": 319, "bpf": 321, "userfaultfd": 323,
    "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430, "clone3": 435,
    "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443, "memfd_secret": 447,
}  # fmt: skip
#: The errnos of a filter or of a missing privilege: with any other the kernel has begun to look at the arguments.
BLOCKED = frozenset({errno.EPERM, errno.ENOSYS, errno.EACCES})
#: mov eax, edi; mov ebx, esi; xchg ecx, edx; int 0x80; with rbx kept and the result widened.
INT_80 = bytes.fromhex("53 89f8 89f3 87d1 cd80 5b 4898 c3")

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def call(name: str | int, *arguments: object) -> int:
    """One system call with numbers and pointers; its result. Raises OSError as the kernel says."""
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    number = NUMBERS[name] if isinstance(name, str) else name
    result: int = _libc.syscall(ctypes.c_long(number), *given)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def reached(name: str, *arguments: object) -> str:
    """Says that a call came through, also where the kernel then had something against its arguments."""
    try:
        return f"{name} gave {call(name, *arguments)}"
    except OSError as error:
        if error.errno in BLOCKED:
            raise
        return f"{name} came through: {refusal(error)}"


def by_int_80(number: int, first: int, second: int, third: int) -> str:
    """A call by the entry of 32-bit programs, ``number`` being theirs. Faults where the kernel has no such entry."""
    code = mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
    code.write(INT_80)
    kind = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint)
    result = kind(ctypes.addressof(ctypes.c_char.from_buffer(code)))(number, first, second, third)
    if result < 0:
        raise OSError(-result, os.strerror(-result))
    return f"gave {result}"
