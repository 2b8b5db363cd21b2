"""What goes into a sandbox and what comes out of it."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Literal

import attrs

MIB = 1 << 20


@attrs.frozen(field_transformer=lambda _, fields: [one.evolve(validator=attrs.validators.gt(0)) for one in fields])
class Limits:
    """What one sandbox may use. Bytes, unless said otherwise; the defaults are the anchor's: 2 CPUs, 8192 MiB."""

    #: CPUs' worth of time.
    cpus: float = 2
    memory: int = 8192 * MIB
    #: Processes and threads.
    pids: int = 512
    #: /workspace and HOME, each.
    workdir: int = 1024 * MIB
    tmp: int = 512 * MIB
    #: /dev/shm.
    shm: int = 64 * MIB
    #: Of one process.
    open_files: int = 4096
    #: Files and folders on each of the writable file systems.
    inodes: int = 50_000
    #: Seconds after which the runtime itself ends the sandbox, should the harness fail to: more than any time-out.
    backstop: int = 4 * 3600


def _inner_path(_: object, __: object, names: Mapping[str, object]) -> None:
    for name in names:
        parts = PurePosixPath(name).parts
        if not parts or ".." in parts or name.startswith("/") or "\0" in name:
            raise ValueError(f"{name!r} is no path of a file inside the task's folder")


def _bounded_names(_: object, __: object, names: Mapping[str, int]) -> None:
    for name, limit in names.items():
        if limit <= 0:
            raise ValueError(f"{name!r} must be allowed more than {limit} bytes")
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise ValueError(f"{name!r} is no file name")


@attrs.frozen
class Stage:
    """One thing to run: all that a sandbox needs to know."""

    command: tuple[str, ...]
    #: The whole environment, PATH and HOME included.
    env: Mapping[str, str]
    #: Path under /task/in (read-only) -> content.
    files: Mapping[str, bytes] = attrs.field(factory=dict, validator=_inner_path)
    #: Name under /task/out -> most bytes. The files are there, empty, before the start; no other can be made.
    outputs: Mapping[str, int] = attrs.field(factory=dict, validator=_bounded_names)
    limits: Limits = attrs.field(factory=Limits)
    #: Such as run, task, attempt: for people who look at a node.
    labels: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen
class Ended:
    """How the main command ended. ``exit_code`` is None unless it ended by itself."""

    exit_code: int | None
    how: Literal["exited", "timed-out", "out-of-memory", "stopped"]
    seconds: float


@attrs.frozen
class Destination:
    """Where a sandbox tried to send to, in vain. ``port`` is None for protocols without ports."""

    address: str
    protocol: str
    port: int | None
    packets: int


#: "harness": its own clock, with the runtime's behind it.
Held = Literal["cgroup", "ulimit", "watchdog", "tmpfs", "harness", "none"]
#: What was seen dead or empty at the end: the first process of the sandbox's PID namespace, with which the kernel ends
#: all others; processes with the sandbox's ids; its cgroup.
Proof = Literal["init", "ids", "cgroup"]


@attrs.frozen
class Evidence:
    """What the outside saw of a sandbox, read after its last process had died."""

    #: The packet filter's rules as they were loaded, and the system call filter.
    ruleset: bytes
    seccomp: bytes
    #: Packets to the listener, and packets to anywhere else.
    allowed: int
    denied: int
    destinations: tuple[Destination, ...]
    #: Whether there were more destinations than are listed.
    truncated: bool
    #: Packets by name of the filter's other counters (`harness.sandbox.ruleset`).
    counters: Mapping[str, int]
    #: Name of a limit -> what held it.
    limits: Mapping[str, Held]
    #: Bytes: the largest sum seen over all processes, with their page tables; pages that several of them share count
    #: several times.
    peak_rss: int
    #: What proved that nothing of the sandbox lived any more when this was read.
    dead: tuple[Proof, ...]
    #: Writable folders that were full at the end.
    full: tuple[str, ...]
    #: Name -> content, cut at the file's limit.
    outputs: Mapping[str, bytes]
