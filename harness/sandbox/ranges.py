"""Ranges of numbers that one process of this machine holds at a time, in whatever namespaces it and the others are.

A range is held by a lock on bytes of a file that all of a machine's processes have in common, whatever they are shown
of folders and networks: the kernel's own of their time namespace, which hardly anything makes anew. Nothing is read or
written there. The kernel frees a lock with the process, however that dies. Any user can lock the same bytes: that keeps
us waiting, but never lets two hold one range. A sandbox can't: the harness's own namespace comes with a time namespace
that its sandboxes are in too, and the common file is open in the harness alone.
"""

import fcntl
import os
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from harness.sandbox.subids import IdRange

TIME: Final = Path("/proc/self/ns/time")
#: For kernels without time namespaces: there only those who share a network see each other.
NETWORK: Final = Path("/proc/self/ns/net")
#: The descriptor of the common file, in the environment of the harness in its namespace.
VARIABLE: Final = "HARNESS_RANGES"
#: Of all numbers: a file has no more bytes.
ALL: Final = IdRange(0, (1 << 63) - 1)
#: The kernel's struct flock on x86_64.
_FLOCK: Final = "hhqqi0q"


def common() -> Path:
    """The common file, as a process sees it that is in no namespace of a harness."""
    return TIME if TIME.exists() else NETWORK


def hold(wanted: Iterable[IdRange], env: Mapping[str, str] = os.environ) -> int | None:
    """A descriptor that holds all of these ranges until it is closed; None where another one has a part of them.

    The file can only be opened for reading, so the locks are of the kind that many may have. Each sets its own and then
    looks for others': of two who come at a time, one sees the other at least.
    """
    place = f"/proc/self/fd/{env[VARIABLE]}" if VARIABLE in env else common()
    handle, ranges = os.open(place, os.O_RDONLY | os.O_CLOEXEC), tuple(wanted)
    try:
        for one in ranges:
            fcntl.fcntl(handle, fcntl.F_OFD_SETLK, _flock(fcntl.F_RDLCK, one))
        if all(_free(handle, one) for one in ranges):
            return handle
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _flock(kind: int, ids: IdRange) -> bytes:
    return struct.pack(_FLOCK, kind, os.SEEK_SET, ids.first, ids.count, 0)


def _free(handle: int, ids: IdRange) -> bool:
    """Whether nobody else could be in the way of one who wanted the range alone."""
    found = fcntl.fcntl(handle, fcntl.F_OFD_GETLK, _flock(fcntl.F_WRLCK, ids))
    return bool(struct.unpack(_FLOCK, found)[0] == fcntl.F_UNLCK)
