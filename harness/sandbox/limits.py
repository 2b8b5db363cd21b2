"""What holds a sandbox's limits on this host, found out by looking and never by believing a request."""

import resource
from collections.abc import Collection, Mapping
from typing import Final

from harness.errors import HostUnfitError
from harness.sandbox.values import Held

#: What a cgroup holds, and what does where there is none.
_ELSE: Final[Mapping[str, Held]] = {"cpus": "none", "memory": "watchdog", "pids": "ulimit"}
_ALWAYS: Final[Mapping[str, Held]] = {
    "open_files": "ulimit",
    "workdir": "tmpfs",
    "tmp": "tmpfs",
    "shm": "tmpfs",
    "inodes": "tmpfs",
    "time": "harness",
}
#: Name of a limit -> what may hold it.
KEEPERS: Final[Mapping[str, frozenset[Held]]] = {
    **{name: frozenset({other, "cgroup"}) for name, other in _ELSE.items()},
    **{name: frozenset({how}) for name, how in _ALWAYS.items()},
}
#: What a limit that isn't enforced is held by, in words.
_WEAK: Final[Mapping[Held, str]] = {
    "none": "nothing holds it",
    "watchdog": "only a watchdog, which looks four times a second",
}
#: What a machine needs so that the kernel holds every limit.
REMEDY: Final = (
    "It takes cgroup v2 (on one with version 1: boot with systemd.unified_cgroup_hierarchy=1) and a user with "
    "a systemd of its own (as root: loginctl enable-linger USER), or start the harness in a scope: "
    "systemd-run --user --scope -p Delegate=yes ..."
)


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


def held(in_force: Collection[str]) -> Mapping[str, Held]:
    """Name of each limit -> what holds it; ``in_force`` are the names of those that a cgroup was seen to hold."""
    return {**{name: "cgroup" if name in in_force else other for name, other in _ELSE.items()}, **_ALWAYS}


def weak(in_force: Collection[str]) -> Mapping[str, Held]:
    """Those of `held` that the kernel does not enforce."""
    return {name: how for name, how in held(in_force).items() if how in _WEAK}


def require(in_force: Collection[str], why: str) -> None:
    """Refuses where a limit is not enforced by the kernel.

    Args:
        in_force: as in `held`.
        why: there is no cgroup, or it holds not all.

    Raises:
        HostUnfitError: with the name of each limit.
    """
    if found := weak(in_force):
        names = ", ".join(f"{name} ({_WEAK[how]})" for name, how in found.items())
        raise HostUnfitError(
            f"This host can't enforce every limit of a sandbox, and --require-limits is set: {names}. "
            f"The reason: {why}.",
            f"{REMEDY} Or leave --require-limits out.",
        )
