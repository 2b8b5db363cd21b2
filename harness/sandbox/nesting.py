"""Prints how many user namespaces this process could make, one inside the other: by that it is known how deep it is.

A user namespace shows its ids as the one above counts them, and nothing of what is above that. But the kernel makes
none at a depth of more than 33 (user_namespaces(7); ``create_user_ns``), the machine's own being at 0. Where another
limit is met before, it looks deeper than it is.

It is run by path with ``python -I -S`` and goes down itself, so it imports the standard library only.
"""

import ctypes
import os

DEEPEST = 33
CLONE_NEWUSER = 0x10000000


def write(name: str, text: str) -> None:
    """One of this process's files about its user namespace."""
    with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123  pathlib takes time to load
        file.write(text)


def down() -> int:
    """Goes down as far as it can; how far that was."""
    libc = ctypes.CDLL(None)
    for level in range(DEEPEST):
        uid, gid = os.geteuid(), os.getegid()
        if libc.unshare(CLONE_NEWUSER) != 0:
            return level
        try:  # only an id that is mapped may make a namespace
            write("setgroups", "deny")
            write("uid_map", f"0 {uid} 1")
            write("gid_map", f"0 {gid} 1")
        except OSError:
            return level
    return DEEPEST


if __name__ == "__main__":
    print(down())
