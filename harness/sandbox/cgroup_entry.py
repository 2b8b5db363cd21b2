"""Between the harness and its namespace, on hosts with cgroup v2: divides the cgroup that it was started in.

It is run by path with ``python -I -S``, in a scope that systemd has just made where that is to be had, so it imports
the standard library only. Then it becomes COMMAND, whose environment says what came of it: HARNESS_CGROUP is the path
of ``harness-PID``, or HARNESS_NO_CGROUP says why there is none.

usage: ``cgroup_entry.py COMMAND...``

::

    BASE/               what it was started in: a scope that is handed over to us, or another cgroup of ours
      harness-PID/      one for each harness process; PID is the host's number
        main/           the harness, podman's service, conmon: a cgroup that is divided holds no processes itself
        NAME/           each sandbox, with its limits (`harness.sandbox.cgroups`)
"""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NoReturn

ROOT = Path("/sys/fs/cgroup")
CONTROLLERS = ("cpu", "memory", "pids")
FOUND, LACK = "HARNESS_CGROUP", "HARNESS_NO_CGROUP"
PREFIX, MAIN = "harness-", "main"


def own(text: str) -> str | None:
    """The cgroup v2 path out of /proc/PID/cgroup; None where the kernel has only the old kind."""
    return next((line[3:] for line in text.splitlines() if line.startswith("0::")), None)


def unified(root: Path = ROOT) -> bool:
    """Whether the controllers belong to cgroup v2. On a hybrid host they belong to v1, where a user is given none."""
    return (root / "cgroup.controllers").exists()


def lack(group: Path) -> str | None:
    """Why a cgroup is not ours to divide; None where it is, as far as can be seen beforehand."""
    if not (group / "cgroup.type").exists():  # every cgroup but the machine's own has one
        return "the harness was started in the machine's root cgroup, which is nobody's to divide"
    missing = set(CONTROLLERS) - set((group / "cgroup.controllers").read_text().split())
    if missing:
        return f"the cgroup {group} was not given the controllers {', '.join(sorted(missing))}"
    if not (os.access(group, os.W_OK) and os.access(group / "cgroup.procs", os.W_OK)):
        return f"the cgroup {group} is not ours: it can't be written to"
    return None


def remove(folder: Path) -> bool:
    """Takes a cgroup and those below it away, where no process is in them; whether it is gone."""
    try:
        for below in sorted(folder.rglob("*/"), reverse=True):
            below.rmdir()
        folder.rmdir()
    except OSError:  # in use, or gone meanwhile
        return not folder.exists()
    return True


def in_use(folder: Path) -> bool:
    """Whether a process lives in a cgroup or below it."""
    try:
        return "populated 0" not in (folder / "cgroup.events").read_text()
    except OSError:
        return False


def members(group: Path) -> set[int]:
    """The processes in a cgroup itself, without those of a PID namespace that is not ours."""
    return {int(line) for line in (group / "cgroup.procs").read_text().split()} - {0}


def divide(group: Path, mine: Iterable[int], name: str) -> Path:
    """Makes ``harness-NAME`` in ``group`` and moves the processes ``mine`` there, in so far as they are in it.

    Raises:
        OSError: the kernel refused. EBUSY: other processes are in ``group``, and a divided cgroup may hold none.
    """
    for other in group.glob(f"{PREFIX}*"):
        if not in_use(other):  # one that lives has cgroups for sandboxes to come, which are empty still
            remove(other)
    folder = group / f"{PREFIX}{name}"
    main = folder / MAIN
    movers = members(group) & set(mine)
    try:
        main.mkdir(parents=True)
        for pid in movers:
            (main / "cgroup.procs").write_text(str(pid))
        for each in (group, folder):
            (each / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in CONTROLLERS))
    except OSError:
        for pid in movers:
            (group / "cgroup.procs").write_text(str(pid))
        remove(folder)
        raise
    return folder


def enter(root: Path, path: str | None, mine: Iterable[int], name: str) -> Mapping[str, str]:
    """What the environment of the command is to say, after trying.

    Args:
        path: of this process's cgroup.
        mine: this process, and the harness that started it.
    """
    if path is None or not unified(root):
        return {LACK: "this machine has no cgroup v2, or gave its controllers to version 1"}
    group = root / path.lstrip("/")
    try:
        why = lack(group)
        return {LACK: why} if why else {FOUND: str(divide(group, mine, name))}
    except OSError as error:
        return {LACK: f"the cgroup {group} can't be divided: {error.strerror}"}


def main() -> NoReturn:
    """See the module's docstring."""
    found = enter(ROOT, own(Path("/proc/self/cgroup").read_text()), (os.getpid(), os.getppid()), str(os.getpid()))
    kept = {name: value for name, value in os.environ.items() if name not in (FOUND, LACK)}
    command = sys.argv[1:]
    os.execvpe(command[0], command, {**kept, **found})  # noqa: S606  no shell is wanted


if __name__ == "__main__":
    main()
