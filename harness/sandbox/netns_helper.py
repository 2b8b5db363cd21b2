"""Runs inside a sandbox's user and network namespace: rules, address, routes; sends a listening socket back.

Of a sandbox it also bounds what the kernel counts by user and no ulimit bounds. Then it goes into the sandbox's mount
namespace and puts /dev/full in the place of /dev/zero: it reads the same, but can't be mapped, which would be memory
that no process is seen to hold (`harness.sandbox.seccomp`).

It is given to Python as text (``python -I -S -c``), since the sandbox's ids may not be able to read the file, so it
imports the standard library only, and little of that: it is the slowest step of making a sandbox.

usage: ``netns_helper IP NFT ADDRESS PORT RULES [MOUNTS]``, standard input being a UNIX socket to the harness, MOUNTS
an open descriptor of the mount namespace. Without MOUNTS, there is no sandbox: only the rules are wanted, and standard
output gets them as the kernel lists them.
"""

import ctypes
import os
import socket
import sys

#: `local default` brings every address home, so that each attempt to send meets the rules.
ROUTES = """\
link set lo up
addr add {address}/32 dev lo
route add local default dev lo
"""
ROUTES6 = "route add local ::/0 dev lo\n"
CLONE_NEWNS, MS_BIND = 0x20000, 0x1000
#: What the kernel counts for the user who runs the harness, so that one sandbox could take it from all others and from
#: that user's own programs: the most for this sandbox.
COUNTED = {"max_inotify_instances": 16, "max_inotify_watches": 8192}


def has_ipv6() -> bool:
    """Whether this namespace speaks IPv6 at all; where it doesn't there is nothing to route."""
    try:
        with open("/proc/sys/net/ipv6/conf/lo/disable_ipv6") as file:  # noqa: PTH123  pathlib takes time to load
            return file.read().strip() == "0"
    except FileNotFoundError:
        return False


def run(program: str, *arguments: str, text: str) -> None:
    """Runs a program on ``text``, with no environment; what it says goes to the harness, which learns of a failure."""
    handle = os.memfd_create("input")
    os.write(handle, text.encode())
    os.lseek(handle, 0, os.SEEK_SET)
    command = [program, *arguments]
    child = os.posix_spawn(program, command, {}, file_actions=[(os.POSIX_SPAWN_DUP2, handle, 0)])
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(f"{' '.join(command)} failed")


def bound() -> None:
    """Sets the limits of the user namespace that this process is in."""
    for name, most in COUNTED.items():
        try:
            with open(f"/proc/sys/user/{name}", "w") as file:  # noqa: PTH123  as above
                file.write(str(most))
        except OSError:  # no such thing in this kernel, or not ours to set: then it is as everywhere else
            continue


def replace_zero(mounts: int) -> None:
    """Binds /dev/full over /dev/zero in the mount namespace that the descriptor is of."""
    libc = ctypes.CDLL(None, use_errno=True)
    bind = ctypes.c_ulong(MS_BIND)
    if libc.setns(mounts, CLONE_NEWNS) != 0 or libc.mount(b"/dev/full", b"/dev/zero", None, bind, None) != 0:
        sys.exit(f"/dev/zero can't be replaced: {os.strerror(ctypes.get_errno())}")


def main() -> None:
    """See the module's docstring."""
    ip, nft, address, port, rules, *mounts = sys.argv[1:]
    run(nft, "-f", "-", text=rules)  # first: not even for a moment is there a route without them
    run(ip, "-batch", "-", text=ROUTES.format(address=address) + (ROUTES6 if has_ipv6() else ""))
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind((address, int(port)))
    listener.listen(128)
    for descriptor in mounts:
        bound()
        replace_zero(int(descriptor))
    if not mounts:
        run(nft, "-j", "-p", "list", *rules.split()[:3], text="")
    socket.send_fds(socket.socket(fileno=0), [b"L"], [listener.fileno()])


if __name__ == "__main__":
    main()
