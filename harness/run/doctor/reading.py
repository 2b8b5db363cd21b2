"""Looking at a machine: everything that can be read without changing anything."""

import hashlib
import os
import platform
import secrets
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from harness import pins
from harness.errors import HostUnfitError
from harness.pins import Closure
from harness.run.doctor.values import PATIENCE, Folder, Helper, Nix, RunPlace, Seen
from harness.sandbox import base, fitness, limits, mounts
from harness.sandbox.runtime import PROGRAMS
from harness.store import nodeimage

NIX = Path("/nix")
FILES = (
    "/proc/self/status",
    "/proc/meminfo",
    "/proc/cgroups",
    "/proc/key-users",
    "/proc/sys/kernel/seccomp/actions_avail",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/threads-max",
    "/sys/fs/cgroup/cgroup.controllers",
    str(fitness.SUBUID),
    str(fitness.SUBGID),
)
VARIABLES = ("PATH", "XDG_RUNTIME_DIR", "HARNESS_STATE_DIR", "TMPDIR", "USER", "LOGNAME")
FUSE = Path("/dev/fuse")
VERSION_FLAGS = {"ip": "-V"}  # the others know --version


def look(env: Mapping[str, str], run: Path | None = None) -> Seen:
    """This machine; with ``run`` also the file system of a run folder, where a link is made and removed."""
    mountinfo = mounts.table()
    uid, host_uid, closure = os.getuid(), fitness.host_uid(), _closure(env)
    runtime_dir = Path(env.get("XDG_RUNTIME_DIR") or "/nowhere")
    return Seen(
        env={name: env[name] for name in VARIABLES if name in env},
        uid=uid,
        user=fitness.User.of(host_uid, env),
        release=platform.release(),
        machine=platform.machine(),
        files=dict(_texts()),
        sysctls=fitness.sysctls(),
        helpers={name: helper(name, env.get("PATH", ""), mountinfo) for name in fitness.HELPERS},
        ulimits=limits.ceilings(),
        cpus=len(os.sched_getaffinity(0)),
        now=time.time(),
        nix=Nix(nix_version(env.get("PATH", "")), _nix(mountinfo), (NIX / "var/nix/daemon-socket/socket").exists()),
        scratch=_scratch(env, host_uid, mountinfo),
        runtime_dir=folder(runtime_dir, mountinfo) if _is_folder(runtime_dir) else None,
        closure=closure,
        versions=dict(_versions(closure)),
        run=None if run is None else run_place(run, mountinfo),
        within=fitness.root_within(),
        image=env.get(nodeimage.IMAGE),
        fuse=unopened(FUSE),
    )


def unopened(path: Path) -> str | None:
    """Why a file can't be opened for reading and writing; None where it can."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))
    except OSError as error:
        return f"{path}: {error.strerror}"
    return None


def _is_folder(path: Path) -> bool:
    """Whether one can be seen there: not behind a folder that may not be entered, nor at a name that can't be one."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _texts() -> Iterator[tuple[str, str]]:
    for name in (*FILES, *_pids_max()):
        with suppress(OSError):
            yield name, Path(name).read_text(errors="replace")


def _pids_max() -> Iterator[str]:
    """Of this process's cgroup, of either version."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "pids"):
            yield str(Path("/sys/fs/cgroup", controllers, path.lstrip("/"), "pids.max"))


def helper(name: str, path: str, mountinfo: str) -> Helper | None:
    """newuidmap or newgidmap with its digest."""
    found = fitness.Helper.of(name, path)
    if found is None:
        return None
    try:
        digest = hashlib.sha256(found.path.read_bytes()).hexdigest()
    except PermissionError:  # it can be run all the same
        digest = None
    return Helper(found, digest, mounts.of(found.path, mountinfo))


def folder(path: Path, mountinfo: str) -> Folder:
    """A folder that is there."""
    real = path.resolve()
    status = real.stat()
    return Folder(
        path=path,
        owner=status.st_uid,
        mode=stat.S_IMODE(status.st_mode),
        writable=os.access(real, os.W_OK | os.X_OK),
        room=base.Room.of(real),
        mount=mounts.of(real, mountinfo),
    )


def _scratch(env: Mapping[str, str], uid: int, mountinfo: str) -> Folder | HostUnfitError:
    try:
        return folder(base.folder(env, uid), mountinfo)
    except HostUnfitError as error:
        return error


def _nix(mountinfo: str) -> Folder | None:
    return folder(NIX, mountinfo) if NIX.is_dir() else None


def _closure(env: Mapping[str, str]) -> Closure | HostUnfitError:
    try:
        return pins.closure(env)
    except HostUnfitError as error:
        return error


def _versions(closure: Closure | HostUnfitError) -> Iterator[tuple[str, str]]:
    if isinstance(closure, Closure):
        for name in PROGRAMS:
            yield name, said([str(closure.runtime / "bin" / name), VERSION_FLAGS.get(name, "--version")]) or ""


def nix_version(path: str) -> str | None:
    """What the nix on ``path`` says of itself; None where there is none, or none that runs."""
    program = shutil.which("nix", path=path)
    return said([program, "--version"]) if program else None


def said(command: list[str]) -> str | None:
    """The first line that a program prints; None where it fails, or where no folder for temporary files is writable.

    It gets folders that are thrown away: podman makes some even to say its version, and Nix looks for the home of
    uid 0 when it is asked inside the namespace, and may not.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="harness-") as home:
            env = {"HOME": home, "XDG_RUNTIME_DIR": home, "TMPDIR": home}
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=env, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.partition("\n")[0] if done.returncode == 0 else None


def run_place(run: Path, mountinfo: str) -> RunPlace:
    """The folder ``run``, or the nearest one above it that is there."""
    existing = run.absolute()
    while not _is_folder(existing):
        existing = existing.parent
    # Under the names of temporary files, which every reader passes over and `harness gc` removes.
    one, two = (existing / f".{secrets.token_hex(8)}" for _ in range(2))
    link, skew = None, None
    try:
        one.touch()
        skew = one.stat().st_mtime - time.time()
        two.hardlink_to(one)
        if one.stat().st_nlink != 2:
            link = f"{existing}: a link was made, and the file doesn't count it"
    except OSError as error:
        link = f"{existing}: no hard link can be made: {error.strerror}"
    finally:
        for name in (two, one):
            with suppress(OSError):
                name.unlink()
    return RunPlace(folder(existing, mountinfo), link, skew)
