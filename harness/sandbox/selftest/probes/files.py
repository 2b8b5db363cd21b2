"""Writing anywhere but in the folders that are the sandbox's own."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from .telling import Facts, Probe

GROUP = "writing outside the workdir"
NEW = {
    "write-root": "/", "write-usr": "/usr", "write-bin": "/usr/bin", "write-etc": "/etc", "write-opt": "/opt",
    "write-var": "/var", "write-task": "/task", "write-inputs": "/task/in", "write-outputs": "/task/out",
}  # fmt: skip
OLD = {"change-program": "/usr/bin/env", "change-hosts": "/etc/hosts", "change-input": "/task/in/facts.json"}
OUTPUT = "/task/out/report"
#: Mount points that may be written to, and the kernel's own views, of which other probes ask.
MAY_BE_WRITTEN = frozenset(
    {
        *("/tmp", "/workspace", "/home", "/run", "/dev/shm"),  # noqa: S108
        *("/dev", "/dev/pts", "/dev/mqueue", "/proc", "/sys", "/sys/fs/cgroup"),
    }
)


def _create(folder: str, _: Facts) -> str:
    path = Path(folder) / "harness-was-here"
    path.touch()
    path.unlink()
    return f"a file was made in {folder}"


def _change(path: str, _: Facts) -> str:
    os.close(os.open(path, os.O_WRONLY | os.O_CLOEXEC))
    return f"{path} could be opened for writing"


def _mode(_: Facts) -> str:
    Path("/usr/bin/env").chmod(0o777)
    return "made writable"


def _remove_output(_: Facts) -> str:
    os.rename(OUTPUT, OUTPUT + "-2")  # noqa: PTH104  Path has no way to say it that is as plain
    os.rename(OUTPUT + "-2", OUTPUT)  # noqa: PTH104
    return "another file could take its place"


def _link(_: Facts) -> str:
    os.link("/task/in/facts.json", "/tmp/harness-link")  # noqa: S108
    return "linked"


def mounts(mountinfo: str) -> list[str]:
    """Mount points that can be written to and should not, out of the text of /proc/self/mountinfo."""
    found = []
    for line in mountinfo.splitlines():
        fields = line.split(" ")
        point, options = fields[4], fields[5].split(",")
        # An output is a file by itself; a device node is one as well.
        own = point in MAY_BE_WRITTEN or point.startswith(("/task/out/", "/dev/"))
        if "rw" in options and not own and not point.startswith(("/proc/", "/sys/")):
            found.append(point)
    return found


def _mounts(_: Facts) -> str:
    found = mounts(Path("/proc/self/mountinfo").read_text())
    if found:
        return f"writable: {', '.join(found)}"
    raise PermissionError("only its own")


CHECKS: dict[str, Callable[[Facts], str]] = {
    **{name: partial(_create, folder) for name, folder in NEW.items()},
    **{name: partial(_change, path) for name, path in OLD.items()},
    "change-mode": _mode,
    "replace-output": _remove_output,
    "link-input": _link,
    "writable-mounts": _mounts,
}
PROBES = tuple(Probe(name, GROUP, act) for name, act in CHECKS.items())
