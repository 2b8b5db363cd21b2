"""The harness's own user, mount, PID and time namespace: its death by any signal ends everything that it started.

::

    outer (this process) ── unshare ── init.py (PID 1 inside) ── the harness ── podman service, conmon, sandboxes

Each dies with the one before it: unshare and init by the parent-death signal, init moreover by the end of its channel
to the outer process. When PID 1 is gone the kernel kills the rest and drops the mounts.
"""

import ctypes
import functools
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.errors import HostUnfitError
from harness.sandbox import base, cgroup_entry, fitness, hostids, init, ranges, runtime, scope, subids

PR_SET_PDEATHSIG = 1
#: The host's pid of the outer process, for the names of state folders.
OUTER_VARIABLE = "HARNESS_OUTER_PID"
#: The host's PATH, to look at what it holds; nothing inside is started by it.
HOST_PATH = "HARNESS_HOST_PATH"
#: Podman takes these as the sign that it needn't make a namespace of its own.
CONFIGURED = "_CONTAINERS_USERNS_CONFIGURED"
HOST_UID = "_CONTAINERS_ROOTLESS_UID"
HOST_GID = "_CONTAINERS_ROOTLESS_GID"


def inside() -> bool:
    """Whether this process runs in a namespace that `enter` made.

    The variable holds the number of the PID namespace that init found itself in: one that was left over in an
    environment names another namespace than ours.
    """
    try:
        here = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return False
    return os.environ.get(init.NAMESPACE_VARIABLE) == here and os.geteuid() == 0 and mapped_ids().count > 0


def mapped_ids(uid_map: Path = Path("/proc/self/uid_map")) -> subids.IdRange:
    """The subordinate ids that stand from 1 on inside: ``first`` as the host counts them; none outside."""
    for line in uid_map.read_text().splitlines():
        here, there, count = map(int, line.split())
        if here == 1:
            return subids.IdRange(there, count)
    return subids.IdRange(0, 0)


def command(
    tools: runtime.Runtime, setup: fitness.IdSetup, channel: int, stderr: int, argv: Sequence[str]
) -> list[str]:
    """The command line that makes the namespaces and runs ``argv`` under init in them.

    The ranges are given as numbers since unshare, with the C library of the runtime, looks up no directory service.
    """
    users, groups = setup.users, setup.groups
    return [
        *(tools.program("unshare"), "--user", "--map-root-user"),
        *(f"--map-users={users.first},1,{users.count}", f"--map-groups={groups.first},1,{groups.count}"),
        *("--mount", "--pid", "--fork", "--kill-child=SIGKILL", "--mount-proc"),
        *(("--time",) if ranges.TIME.exists() else ()),  # see harness.sandbox.ranges
        "--",
        *(sys.executable, "-I", "-S", init.__file__, str(channel), str(stderr), *argv),
    ]


def environment(tools: runtime.Runtime, links: Path, env: Mapping[str, str]) -> dict[str, str]:
    """``env`` for the inner side: no folder of the host's programs is on PATH."""
    return {
        **env,
        "PATH": f"{tools.bin}:{links}",
        CONFIGURED: "done",
        HOST_UID: str(fitness.host_uid()),
        HOST_GID: str(os.getgid()),
        OUTER_VARIABLE: str(os.getpid()),
        hostids.OUTER: hostids.told(),
        HOST_PATH: env.get("PATH", ""),
    }


def die_with(parent: int, libc: ctypes.CDLL) -> Callable[[], None]:
    """What a fresh child does: ask for SIGKILL at its parent's death, and look whether that has come already."""

    def ask() -> None:
        # Blocked, not ignored: unshare keeps the mask and must not die of a signal that is meant for the harness.
        signal.pthread_sigmask(signal.SIG_BLOCK, init.FORWARDED)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(128 + signal.SIGKILL)

    return ask


@contextmanager
def passing_on(channel: socket.socket) -> Iterator[None]:
    """While it lasts each signal for the harness goes into the channel, once; those that are ignored stay ignored."""

    def send(number: int, _: object) -> None:
        with suppress(OSError):  # the other end is gone: the wait is about to end
            channel.send(bytes([number]), socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)

    heeded = [number for number in init.FORWARDED if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, send) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def explain(said: str, *, within: bool = False) -> HostUnfitError:
    """Why the namespace could not be entered, out of what unshare and newuidmap said; ``within`` another namespace this
    process is root, and newuidmap is our own."""
    advice = (
        "See that newuidmap is setuid root on a file system that is not mounted nosuid, and that the kernel allows "
        "user, mount and PID namespaces here."
    )
    if within:
        advice = (
            "See that the namespace or container that the harness was started in allows further user, mount and PID "
            "namespaces, and hides nothing of its /proc; or start the harness outside of it."
        )
    if restricted := fitness.apparmor(fitness.sysctls()):
        advice = str(restricted)
    if "user name" in said:
        advice = "Give this uid an entry in /etc/passwd, or in a directory service that newuidmap can look up."
    text = said.strip().rstrip(".") or "unshare failed"
    return HostUnfitError(f"The harness's namespace can't be made: {text}.", advice)


def enter(argv: Sequence[str], env: Mapping[str, str]) -> int:
    """Runs ``argv`` with ``env`` inside and waits for it; to be called by the main thread of a small process.

    The inner side has its own session, so that a terminal's Ctrl-C reaches this process alone, which passes it on. It
    is in a cgroup of its own where that is to be had (`harness.sandbox.scope`), and else is told why not.

    Returns:
        The exit status; 128 + n when signal n ended the command or anything between here and there.

    Raises:
        HostUnfitError: this host can't give the namespace; the text says what an administrator can do.
    """
    tools = runtime.find(env)
    setup = fitness.check(env)
    folder = base.folder(env, fitness.host_uid())
    links = base.link_helpers(folder, setup.helpers) if setup.helpers else base.own_helpers(folder)
    libc = ctypes.CDLL(None, use_errno=True)  # loaded before the fork
    told = {name: value for name, value in env.items() if name not in (cgroup_entry.FOUND, cgroup_entry.LACK)}
    refused = ""
    for way in scope.ways(scope.here(), env):
        says = {name: f"{value}{refused}" for name, value in way.says.items()}
        made = functools.partial(command, tools, setup, argv=argv)
        status, said = _run(way.prefix, made, {**environment(tools, links, told), **says}, libc)
        if status is not None:
            return status
        refused = f" ({said.strip()})"
    raise explain(said, within=not setup.helpers)


def _run(
    prefix: Sequence[str], command: Callable[[int, int], list[str]], env: Mapping[str, str], libc: ctypes.CDLL
) -> tuple[int | None, str]:
    """The exit status, None where the namespace was not reached, and what was said on the way there.

    Args:
        command: the command line after ``prefix``, by the descriptors of init's channel and of the real standard error.
    """
    ours, theirs = socket.socketpair()
    # Until init runs, standard error is a file of ours, so that a failure can be explained.
    with ours, theirs, os.fdopen(os.memfd_create("stderr"), "w+b") as said, passing_on(ours):
        real_stderr, common = os.dup(2), os.open(ranges.common(), os.O_RDONLY)
        with subprocess.Popen(
            [*prefix, *command(theirs.fileno(), real_stderr)],
            env={**env, ranges.VARIABLE: str(common)},
            stderr=said,
            pass_fds=(theirs.fileno(), real_stderr, common),
            start_new_session=True,
            preexec_fn=die_with(os.getpid(), libc),
        ) as child:
            os.close(real_stderr)
            os.close(common)
            theirs.close()
            child.wait()
        heard = ours.recv(16)
        if not heard.startswith(init.READY):
            said.seek(0)
            return None, said.read().decode(errors="replace")
    # unshare's own status is no help: it ends with 1 when init was killed. Without a last word from init it was.
    return (heard[1] if len(heard) > 1 else 128 + signal.SIGKILL), ""
