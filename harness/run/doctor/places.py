"""The folders that are written to: the harness's own on this node's disk, and the run's."""

from harness.errors import HostUnfitError
from harness.run.doctor.values import Check, Folder, RunPlace, Seen
from harness.run.room import SPACE_PER_JOB
from harness.sandbox import base
from harness.sandbox.values import MIB
from harness.store import space

#: File systems of other machines, or that are kept by a program: podman's overlays and locks don't work on them.
SHARED = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "afs", "ceph", "lustre", "gpfs", "beegfs", "glusterfs", "orangefs", "panfs"}
    | {"wekafs", "9p", "virtiofs"}
)
#: Fewer bytes or inodes than so many times the least that sandboxes need are worth a word.
PLENTY = 10
SKEW = 60.0  # seconds


def shared(folder: Folder) -> bool:
    """Whether a folder is not on a disk of this machine."""
    return folder.mount.kind in SHARED or folder.mount.kind.startswith("fuse")


def described(folder: Folder) -> str:
    """Where it is and how much room there is, in words."""
    inodes = "inodes without end" if folder.room.inodes is None else f"{folder.room.inodes} inodes"
    return f"{folder.path} on {folder.mount.kind}, {folder.room.bytes // MIB} MiB and {inodes} free"


def scratch(seen: Seen) -> list[Check]:
    """Where podman's state stands: room, and kind of file system."""
    name, folder = "scratch folder", seen.scratch
    if isinstance(folder, HostUnfitError):
        return [Check.lacking(name, folder)]
    found = described(folder)
    kind = Check(f"{name}'s file system", "ok", f"{folder.mount.kind}, mounted on {folder.mount.point}")
    if shared(folder):
        kind = Check(
            kind.name,
            "warning",
            f"{kind.found}, which is no disk of this machine: overlays and locks may not work, and it is slow",
            base.ELSEWHERE,
        )

    def judge() -> str:
        base.check_space(folder.path, folder.room)
        if not folder.writable:
            raise HostUnfitError(f"{folder.path} can't be written to.", base.ELSEWHERE)
        return found

    room = Check.judged(name, judge)
    inodes = folder.room.inodes
    if room.state == "ok" and (
        folder.room.bytes < PLENTY * base.NEEDED_BYTES or (inodes is not None and inodes < PLENTY * base.NEEDED_INODES)
    ):
        room = Check(name, "warning", found, f"It is enough for a few sandboxes only. Make room, or: {base.ELSEWHERE}")
    return [room, kind]


def run(place: RunPlace) -> list[Check]:
    """Where records are kept: room, hard links (the first commit wins by them), and the clock of its file system."""
    return [_room(place.folder), _links(place), *([_clock(place.skew)] if place.skew is not None else [])]


def _room(folder: Folder) -> Check:
    name, found = "run folder", described(folder)

    def judge() -> str:
        if not folder.writable:
            raise HostUnfitError(f"{folder.path} can't be written to.", "Choose another folder with --run.")
        space.require(folder.path, folder.room.bytes, SPACE_PER_JOB)
        return f"{found}; shared by machines, which is fine here" if shared(folder) else found

    return Check.judged(name, judge)


def _links(place: RunPlace) -> Check:
    name = "hard links in the run folder"
    if place.link is None:
        return Check(name, "ok", "a link was made, and removed")
    if not place.folder.writable:
        return Check(name, "not known", place.link)
    return Check(name, "failed", place.link, "Choose a folder on a file system with hard links with --run.")


def _clock(skew: float) -> Check:
    name, found = "clock of the run folder", f"{abs(skew):.1f} s {'ahead of' if skew >= 0 else 'behind'} this machine's"
    if abs(skew) > SKEW:
        advice = "Set both machines' clocks: harness gc tells old from new by them."
        return Check(name, "warning", found, advice)
    return Check(name, "ok", found)
