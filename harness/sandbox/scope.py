"""How the harness comes into a cgroup v2 of its own, before it makes its namespace."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import attrs

from harness.sandbox import cgroup_entry, fitness
from harness.sandbox.cgroup_entry import LACK, ROOT

#: Where systemd keeps login sessions. What was started elsewhere, such as by a batch system or as a service, has
#: limits and accounts of its own there, and must not be taken out of them.
SESSIONS: Final = "/user.slice/"
_ENTRY: Final = (sys.executable, "-I", "-S", cgroup_entry.__file__)
_RUNTIME: Final = "XDG_RUNTIME_DIR"


@attrs.frozen
class Way:
    """``prefix`` stands before the command that makes the namespaces, ``says`` is added to its environment."""

    prefix: tuple[str, ...] = ()
    says: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen
class Place:
    """Where a process stands: ``path`` of its cgroup v2, None where there is none; ``alone`` in it; ``uid``."""

    path: str | None
    alone: bool
    uid: int


def here(root: Path = ROOT) -> Place:
    """This process's."""
    path = cgroup_entry.own(Path("/proc/self/cgroup").read_text())
    alone = path is not None and cgroup_entry.unified(root) and _alone(root / path.lstrip("/"))
    return Place(path, alone, fitness.host_uid())


def _alone(group: Path) -> bool:
    try:
        return cgroup_entry.members(group) == {os.getpid()}
    except OSError:
        return False


def ways(place: Place, env: Mapping[str, str], root: Path = ROOT, runtime: Path = Path("/run/user")) -> tuple[Way, ...]:
    """What to try one after the other, until a namespace is made; the last one always works as far as cgroups go."""
    if place.path is None or not cgroup_entry.unified(root):
        return (Way(says={LACK: "this machine has no cgroup v2, or gave its controllers to version 1"}),)
    group = root / place.path.lstrip("/")
    try:
        why = cgroup_entry.lack(group)
    except OSError as error:
        why = f"the cgroup {group} can't be read: {error.strerror}"
    if why is None and place.alone:
        return (Way(_ENTRY),)
    why = why or f"the cgroup {group} holds other processes, so it can't be divided"
    program = shutil.which("systemd-run", path=env.get("PATH", ""))
    if program is None or not place.path.startswith(SESSIONS):
        return (Way(says={LACK: why}),)
    manager = () if place.uid == 0 else ("--user",)
    asked = (program, *manager, "--scope", "--quiet", "--collect", "--property=Delegate=yes", "--", *_ENTRY)
    usual = runtime / str(place.uid)
    bus = {_RUNTIME: str(usual)} if _RUNTIME not in env and usual.exists() else {}
    return (Way(asked, bus), Way(says={LACK: f"{why}, and systemd gave no scope"}))
