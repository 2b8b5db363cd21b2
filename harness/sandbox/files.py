"""What a sandbox reads and writes: file systems in memory, in the harness's own mount namespace, bounded each."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs

from harness.errors import SandboxError
from harness.sandbox import mounts
from harness.sandbox.spec import USER_ID
from harness.sandbox.values import MIB, Limits, Stage
from harness.store.foreign.plain import open_plain, read_beginning

PAGE = os.sysconf("SC_PAGE_SIZE")
RUN_SIZE = 8 * MIB
#: Bytes of one output that are read: they are held in memory, and a sandbox can fill its outputs with anything.
READ_MAX = 32 * MIB
#: Each output is the only file of a file system: its root folder and the file.
OUTPUT_INODES = 2


def writable_sizes(limits: Limits) -> dict[str, int]:
    """Folder in the sandbox -> bytes. /run is there because the runtime wants it; only the sandbox's root, which runs
    nothing, could write to it."""
    return {
        "/dev/shm": limits.shm,  # noqa: S108
        "/home": limits.workdir,
        "/run": RUN_SIZE,
        "/tmp": limits.tmp,  # noqa: S108
        "/workspace": limits.workdir,
    }


@attrs.frozen
class Files:
    """The folder of one sandbox on the host, with the ``limits`` of its outputs and its ``writable`` folders."""

    folder: Path
    limits: Mapping[str, int]
    writable: Mapping[str, Path]

    @property
    def inputs(self) -> Path:
        """Seen at /task/in."""
        return self.folder / "in"

    @property
    def outputs(self) -> dict[str, Path]:
        """Name under /task/out -> the file that is seen there."""
        return {name: self.folder / f"out{number}" / "data" for number, name in enumerate(self.limits)}

    def read(self) -> dict[str, bytes]:
        """The outputs, each cut at its limit or at `READ_MAX`. To be called when nothing of the sandbox lives any more.

        The sandbox could write to these files and change their modes, but had no folder to put others in their place.

        Raises:
            SandboxError: a file is not the regular one that was made.
        """
        return {name: _read(self.outputs[name], min(limit, READ_MAX)) for name, limit in self.limits.items()}

    def full(self) -> tuple[str, ...]:
        """Writable folders without a free page or inode."""
        rooms = {name: os.statvfs(path) for name, path in self.writable.items()}
        return tuple(name for name, room in rooms.items() if room.f_bfree == 0 or room.f_ffree == 0)

    def remove(self) -> None:
        """Takes everything off and away."""
        mounts.unmount_below(self.folder)
        for path in self.folder.iterdir():
            path.rmdir()
        self.folder.rmdir()


def _read(path: Path, limit: int) -> bytes:
    try:
        handle, status = open_plain(path)
    except OSError as error:
        raise SandboxError(f"{path} is no more what was made for the sandbox's output: {error.strerror}") from error
    try:
        if status.st_nlink != 1:
            raise SandboxError(f"{path} is no more what was made for the sandbox's output: it has another name too")
        return read_beginning(handle, limit)
    finally:
        os.close(handle)


def _folder(path: Path) -> Path:
    path.mkdir()
    path.chmod(0o711)
    return path


def _write_inputs(folder: Path, files: Mapping[str, bytes]) -> None:
    """Everybody may read them; the mount in the sandbox keeps them from being written."""
    folders = {folder, *(parent for name in files for parent in _parents(folder, name))}
    room = sum(len(data) + PAGE for data in files.values()) + PAGE * len(folders)
    mounts.tmpfs(_folder(folder), room, len(files) + len(folders), mode=0o755)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o444)
    for each in folders:
        each.chmod(0o755)


def _parents(folder: Path, name: str) -> Iterator[Path]:
    for parent in (folder / name).parents:
        if parent == folder:
            return
        yield parent


def make(folder: Path, first_id: int, stage: Stage) -> Files:
    """Makes ``folder`` with all that ``stage`` asks for.

    Args:
        first_id: of the sandbox's ids, as the harness sees them.

    Raises:
        SandboxError: a mount was refused. What had been made is gone again.
    """
    owner = first_id + USER_ID
    sizes = writable_sizes(stage.limits)
    writable = {name: folder / f"rw{name.replace('/', '-')}" for name in sizes}
    files = Files(_folder(folder), stage.outputs, writable)
    try:
        _write_inputs(files.inputs, stage.files)
        for name, path in writable.items():
            mode = 0o755 if name == "/run" else 0o1777
            mounts.tmpfs(_folder(path), sizes[name], stage.limits.inodes, mode=mode, owner=first_id, executable=True)
        for name, path in files.outputs.items():
            mounts.tmpfs(_folder(path.parent), stage.outputs[name], OUTPUT_INODES, mode=0o711)
            path.touch()
            path.chmod(0o600)
            os.chown(path, owner, owner)
    except BaseException:
        files.remove()
        raise
    return files
