"""A cgroup for each sandbox, in the one that `harness.sandbox.cgroup_entry` divided: made, filled, read back, removed.

Nothing is asked of podman or runc: a request to them is ignored without a word where they have no cgroup to write to.
The harness writes the limits itself, moves the sandbox's first process there before anything of it runs, and then
believes only what it reads.
"""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

import attrs

from harness.errors import HostUnfitError
from harness.sandbox.cgroup_entry import FOUND, LACK, MAIN, ROOT, own, remove, unified
from harness.sandbox.values import Limits

PERIOD = 100_000  # microseconds: the kernel's default
#: Between two looks whether a cgroup is empty, and until that is given up; the processes are dead by then.
INTERVAL, SECONDS = 0.02, 10.0
UNKNOWN = "the harness was started without looking for one"


def _wanted(limits: Limits) -> Mapping[str, Mapping[str, str]]:
    """Name of a limit -> the files that hold it, with what is to stand in them."""
    return {
        "cpus": {"cpu.max": f"{int(limits.cpus * PERIOD)} {PERIOD}"},
        "memory": {"memory.max": str(limits.memory), "memory.swap.max": "0"},
        "pids": {"pids.max": str(limits.pids)},
    }


def _write(file: Path, text: str) -> None:
    """What could not be written is seen when it is read back. Without swap in the kernel there is no file for it."""
    if file.exists() or file.name != "memory.swap.max":
        try:
            file.write_text(text)
        except OSError:
            return


def _holds(file: Path, text: str) -> bool:
    try:
        return file.read_text().strip() == text
    except FileNotFoundError:
        return file.name == "memory.swap.max"
    except OSError:
        return False


def of_process(pid: int | str, root: Path = ROOT, proc: Path = Path("/proc")) -> Path | None:
    """The folder of a process's cgroup."""
    try:
        path = own((proc / str(pid) / "cgroup").read_text())
    except OSError:
        return None
    return None if path is None else root / path.lstrip("/")


@attrs.frozen
class Group:
    """The cgroup of one sandbox."""

    folder: Path

    def set(self, limits: Limits) -> None:
        """Asks the kernel for the limits; `in_force` says what came of it.

        Out of memory all of the sandbox is to end, not only its largest process: as where the watchdog does it, so
        that a rollout comes to the same end on both kinds of hosts.
        """
        for files in _wanted(limits).values():
            for name, value in files.items():
                _write(self.folder / name, value)
        _write(self.folder / "memory.oom.group", "1")

    def in_force(self, limits: Limits) -> frozenset[str]:
        """Names of the limits that the kernel says it holds: ``cpus``, ``memory``, ``pids``."""
        wanted = _wanted(limits).items()
        return frozenset(
            name for name, files in wanted if all(_holds(self.folder / file, value) for file, value in files.items())
        )

    def take(self, pid: int) -> bool:
        """Moves a process here, with all its threads; whether the kernel then says that it is here."""
        try:
            (self.folder / "cgroup.procs").write_text(str(pid))
        except OSError:
            return False
        return of_process(pid) == self.folder

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel killed for want of this cgroup's memory.

        Raises:
            HostUnfitError: the cgroup is gone: somebody else has removed it.
        """
        return self._events("memory.events").get("oom_kill", 0) > 0

    def populated(self) -> bool:
        """Whether a process lives here or below; raises as `ran_out_of_memory`."""
        return self._events("cgroup.events")["populated"] > 0

    def _events(self, name: str) -> dict[str, int]:
        try:
            lines = (self.folder / name).read_text().split("\n")
        except OSError as error:
            raise HostUnfitError(
                f"The cgroup of a sandbox, {self.folder}, can't be read: {error.strerror}.",
                "Somebody else removes cgroups here: keep them from it.",
            ) from error
        return {key: int(value) for key, value in (line.split() for line in lines if line)}

    async def emptied(self) -> None:
        """Returns when nothing lives here: the proof beside that of the sandbox's first process.

        Raises:
            HostUnfitError: something does, after the first process's death.
        """
        for _ in range(int(SECONDS / INTERVAL)):
            if not self.populated():
                return
            await asyncio.sleep(INTERVAL)
        pids = (self.folder / "cgroup.procs").read_text().split()
        raise HostUnfitError(
            f"Processes {', '.join(pids)} in the cgroup {self.folder} of a sandbox outlived it.",
            "They hang in the kernel or came from outside: look at them before the next run.",
        )

    async def remove(self) -> None:
        """Takes it away once it is empty. One with living processes stays, and has been complained of by then."""
        for _ in range(int(SECONDS / INTERVAL)):
            if remove(self.folder):
                return
            await asyncio.sleep(INTERVAL)


@attrs.frozen
class Tree:
    """``folder`` is the harness's own cgroup, in which those of its sandboxes are made."""

    folder: Path

    def make(self, name: str, limits: Limits) -> Group:
        """An empty cgroup with limits.

        Raises:
            HostUnfitError: the kernel makes none.
        """
        group = Group(self.folder / name)
        try:
            group.folder.mkdir()
        except OSError as error:
            raise HostUnfitError(
                f"The cgroup {group.folder} can't be made: {error.strerror}.", "See cgroup.max.descendants above it."
            ) from error
        group.set(limits)
        return group

    def holds(self, limits: Limits) -> frozenset[str]:
        """Which limits the kernel takes here, tried on a cgroup that is thrown away."""
        group = self.make(f"try-{os.getpid()}", limits)
        try:
            return group.in_force(limits)
        finally:
            remove(group.folder)


def found(env: Mapping[str, str], root: Path = ROOT, proc: Path = Path("/proc")) -> Tree | str:
    """The harness's own cgroup, or why it has none.

    A variable that was left over names another cgroup than the one that this process is in.
    """
    here = of_process("self", root, proc)
    if not unified(root) or here is None:
        return "this machine has no cgroup v2, or gave its controllers to version 1"
    if FOUND in env and here == Path(env[FOUND]) / MAIN:
        return Tree(here.parent)
    return env.get(LACK, UNKNOWN)
