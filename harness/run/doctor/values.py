"""What is seen of a machine, and what a check comes to."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal, Self

import attrs

from harness.errors import HostUnfitError
from harness.pins import Closure
from harness.sandbox import fitness
from harness.sandbox.base import Room
from harness.sandbox.mounts import Mount

# Seconds for a program to say its version: podman took more than 20 under emulation on a busy machine.
PATIENCE: Final = 60

State = Literal["ok", "warning", "failed", "not known"]


@attrs.frozen
class Check:
    """One requirement: what was ``found``, and as ``advice`` what to do; nothing where all is well."""

    name: str
    state: State
    found: str
    advice: str = ""

    @classmethod
    def lacking(cls, name: str, error: HostUnfitError) -> Self:
        """A requirement that is not met."""
        return cls(name, "failed", error.found, error.advice)

    @classmethod
    def judged(cls, name: str, judge: Callable[[], str]) -> Self:
        """``judge`` says what it found, or raises HostUnfitError."""
        try:
            return cls(name, "ok", judge())
        except HostUnfitError as error:
            return cls.lacking(name, error)

    def to_json(self) -> dict[str, str]:
        """As ``doctor --json`` prints it."""
        return {"name": self.name, "state": self.state, "found": self.found, "advice": self.advice}


@attrs.frozen
class Helper:
    """newuidmap or newgidmap, its digest (None where only root may read it) and the file system that it is on."""

    found: fitness.Helper
    sha256: str | None
    mount: Mount


@attrs.frozen
class Folder:
    """A folder that is there; ``owner`` is a uid, ``mode`` the permissions, ``writable`` is for this user."""

    path: Path
    owner: int
    mode: int
    writable: bool
    room: Room
    mount: Mount


@attrs.frozen
class RunPlace:
    """Where a run folder is or is to be. ``link`` says why no hard link could be made; ``skew`` is how many seconds
    the file system's clock is ahead of this machine's."""

    folder: Folder
    link: str | None
    skew: float | None


@attrs.frozen
class Nix:
    """``version`` is what ``nix --version`` says, None without a nix; ``daemon``: whether its socket is there."""

    version: str | None
    folder: Folder | None
    daemon: bool


@attrs.frozen(kw_only=True)
class Seen:
    """A machine as this process sees it from outside of the namespace. What could not be had is the error that says so.

    ``files`` are texts of the kernel's by path, without those that can't be read; ``ulimits`` are hard ones, without
    the endless; ``versions`` is what each of our own programs says of itself; ``now`` is the time since 1970;
    ``within`` is what it hands on itself as root of a user namespace, None anywhere else, and ``user`` who that root
    is outside; ``image`` is the file that this harness runs out of where it is not /nix of the machine, ``fuse`` why
    /dev/fuse can't be opened.
    """

    env: Mapping[str, str]
    uid: int
    user: fitness.User
    release: str
    machine: str
    files: Mapping[str, str]
    sysctls: Mapping[str, str]
    helpers: Mapping[str, Helper | None]
    ulimits: Mapping[str, int]
    cpus: int
    now: float
    nix: Nix
    scratch: Folder | HostUnfitError
    runtime_dir: Folder | None
    closure: Closure | HostUnfitError
    versions: Mapping[str, str]
    run: RunPlace | None = None
    within: fitness.IdSetup | None = None
    image: str | None = None
    fuse: str | None = None
