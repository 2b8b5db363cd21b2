"""Podman's private state of one harness process: a folder with its own configuration, gone at the end."""

import fcntl
import json
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs

from harness.sandbox import base, mounts, namespace, seccomp
from harness.sandbox.runtime import Runtime
from harness.store.foreign import removing

#: Folders above what is mounted into sandboxes: each sandbox's own ids pass through them.
PASSABLE = ("root", "run", "tmp", "boxes")
PRIVATE = ("conf", "xdg", "home", "vol", "hooks", "net")
#: Seconds that conmon waits before it tells podman of an end; shorter, and an exit status can be lost.
EXIT_DELAY = 10


@attrs.frozen
class State:
    """``name`` is the owner's: pid on the host, start time, random. ``lock`` is held as long as the owner lives."""

    folder: Path
    lock: int

    @property
    def name(self) -> str:
        """Stands in the label of each container."""
        return self.folder.name

    @property
    def socket(self) -> Path:
        """Where the private podman service listens."""
        return self.folder / "xdg/api.sock"

    @property
    def seccomp(self) -> Path:
        """The sandbox's system call filter."""
        return self.folder / "conf/seccomp.json"

    @property
    def mounts(self) -> Path:
        """The list of what podman puts into every container of its own accord: an empty one."""
        return self.folder / "conf/mounts.conf"

    @property
    def boxes(self) -> Path:
        """Holds a folder for each sandbox under way."""
        return self.folder / "boxes"


def containers_conf(folder: Path, runtime: Runtime) -> str:
    """containers.conf: nothing of the host's or the user's podman is read or touched.

    Locks in files, since those in shared memory are common to all of a user's podmans.
    """

    def quote(path: Path | str) -> str:
        return json.dumps(str(path))  # a JSON string is a TOML string

    return f"""\
[containers]
default_capabilities = []
default_sysctls = []
http_proxy = false
log_driver = "none"
pids_limit = 0
seccomp_profile = {quote(folder / "conf/seccomp.json")}
umask = "0022"
[engine]
cgroup_manager = "cgroupfs"
conmon_path = [{quote(runtime.program("conmon"))}]
events_logger = "none"
exit_command_delay = {EXIT_DELAY}
helper_binaries_dir = [{quote(runtime.bin)}]
hooks_dir = [{quote(folder / "hooks")}]
lock_type = "file"
runtime = "runc"
static_dir = {quote(folder / "root/libpod")}
tmp_dir = {quote(folder / "tmp")}
volume_path = {quote(folder / "vol")}
[engine.runtimes]
runc = [{quote(runtime.program("runc"))}]
[network]
network_config_dir = {quote(folder / "net")}
"""


def storage_conf(folder: Path) -> str:
    """storage.conf: absolute paths, and the kernel's own overlay."""
    root, run = json.dumps(str(folder / "root")), json.dumps(str(folder / "run"))
    return f'[storage]\ndriver = "overlay"\ngraphroot = {root}\nrootless_storage_path = {root}\nrunroot = {run}\n'


def environment(state: State, env: Mapping[str, str]) -> dict[str, str]:
    """The podman service's whole environment; of ours only PATH and what says which namespace this is."""
    folder = state.folder
    kept = ("PATH", namespace.CONFIGURED, namespace.HOST_UID, namespace.HOST_GID)
    return {
        **{key: env[key] for key in kept},
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "XDG_RUNTIME_DIR": str(folder / "xdg"),
        "XDG_CONFIG_HOME": str(folder / "home"),
        "XDG_DATA_HOME": str(folder / "home"),
        "CONTAINERS_CONF": str(folder / "conf/containers.conf"),
        "CONTAINERS_STORAGE_CONF": str(folder / "conf/storage.conf"),
        "CONTAINERS_REGISTRIES_CONF": str(folder / "conf/registries.conf"),
    }


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keeps other processes from making or claiming states meanwhile."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def claim(folder: Path) -> int | None:
    """The lock on a state folder, or None while its owner lives."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def _fresh(parent: Path, env: Mapping[str, str]) -> State:
    """An empty state, locked from its first moment."""
    name = f"p{env.get(namespace.OUTER_VARIABLE, os.getpid())}-{time.strftime('%m%dT%H%M%S')}-{secrets.token_hex(2)}"
    folder = parent / name
    with base.no_space(parent), _locked(parent):
        folder.mkdir()
        folder.chmod(0o711)  # mkdir's mode would pass through the umask
        lock = claim(folder)
    assert lock is not None
    return State(folder, lock)


@contextmanager
def scratch(env: Mapping[str, str]) -> Iterator[Path]:
    """A folder for files of one harness process, gone at the end; what a dead one left goes when the next one starts.

    Raises HostUnfitError, NoSpaceError as `base.folder` does.
    """
    state = _fresh(base.folder(env, int(env[namespace.HOST_UID])), env)
    try:
        yield state.folder
    finally:
        remove(state)


def create(parent: Path, runtime: Runtime, env: Mapping[str, str]) -> State:
    """A fresh state under ``parent``, the folder of `base.folder`, locked from its first moment."""
    state = _fresh(parent, env)
    folder = state.folder
    with base.no_space(parent):
        for sub, mode in [(sub, 0o711) for sub in PASSABLE] + [(sub, 0o700) for sub in PRIVATE]:
            (folder / sub).mkdir()
            (folder / sub).chmod(mode)
        (folder / "conf/containers.conf").write_text(containers_conf(folder, runtime))
        (folder / "conf/storage.conf").write_text(storage_conf(folder))
        (folder / "conf/registries.conf").write_text("unqualified-search-registries = []\n")
        state.mounts.touch()
        state.seccomp.write_bytes(seccomp.profile(runtime.seccomp.read_bytes()))
    return state


def remove(state: State) -> None:
    """Removes the folder, with all that sandboxes' ids own in it, and lets go of the lock last."""
    mounts.unmount_below(state.folder)
    with suppress(OSError):  # what stays is taken for a dead one's, and removed, when the next one starts
        removing.remove(state.folder)
    os.close(state.lock)


def dead(parent: Path) -> Iterator[State]:
    """The states under ``parent`` whose owners are gone, each locked for the caller, who is to remove it."""
    for folder in sorted(parent.glob("p*-*")):
        with _locked(parent):
            lock = claim(folder)
        if lock is not None:
            yield State(folder, lock)
