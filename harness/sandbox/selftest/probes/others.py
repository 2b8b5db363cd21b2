"""Another sandbox's files and processes, podman's service, and what could hold a secret."""

import os
import socket
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from .telling import Facts, Probe, Seen

NEIGHBOURS, PODMAN, SECRETS = "another sandbox", "the podman socket", "secrets"
USUAL_SOCKETS = (
    "/run/podman/podman.sock", "/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock",
    "/run/crio/crio.sock", "/run/dbus/system_bus_socket", "/run/systemd/private", "/run/user/0/podman/podman.sock",
    "/run/user/1000/podman/podman.sock", "/nix/var/nix/daemon-socket/socket",
)  # fmt: skip
#: What the container runtime and the interpreter add of their own accord.
OWN_VARIABLES = frozenset({"HOSTNAME", "container", "PWD", "TERM", "LC_CTYPE"})
SEARCHED = ("/task", "/home", "/workspace", "/tmp", "/run", "/etc", "/root", "/dev/shm", "/mnt")  # noqa: S108
#: Bytes of one file and of all, files, and folders' depth.
LARGEST, MOST, MANY, DEEP = 64 << 10, 2 << 20, 3000, 6
#: Our own folders below /task/in hold the probes, in whose text nothing is to be looked for.
LEFT_OUT = frozenset({"proc", "sys"})
#: What is mounted in every sandbox, by the harness and by the container runtime; see `unusual_mounts` for the rest.
MOUNTED = frozenset(
    {
        *("/", "/proc", "/sys", "/sys/fs/cgroup", "/dev", "/dev/pts", "/dev/mqueue", "/dev/shm"),  # noqa: S108
        *("/tmp", "/workspace", "/home", "/run", "/task/in", "/task/out/report", "/etc/hostname"),  # noqa: S108
    }
)
#: What podman mounts there of its own accord where the host is in FIPS mode: an empty file of this name.
SECRETS_FOLDER, FIPS_MARK = "/run/secrets", "system-fips"


def walk(folder: str, depth: int = DEEP) -> Iterator[os.DirEntry[str]]:
    """All that can be listed below a folder, links unfollowed, without the kernel's own trees."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        yield entry
        if depth and entry.is_dir(follow_symlinks=False) and entry.name not in LEFT_OUT:
            yield from walk(entry.path, depth - 1)


def mount_points() -> list[str]:
    """Where anything is mounted but the root and the kernel's own trees."""
    points = [line.split(" ")[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return [point for point in points if point != "/" and not point.startswith(("/proc", "/sys", "/dev/pts"))]


def unusual_mounts(mountinfo: str) -> list[str]:
    """Mount points, out of the text of /proc/self/mountinfo, by which more of the host could be seen than is meant.

    Below /proc and /sys the runtime puts masks and makes parts read-only; device nodes are other probes' matter.
    """
    found = []
    for line in mountinfo.splitlines():
        fields = line.split(" ")
        root, point, options = fields[3], fields[4], fields[5].split(",")
        kernels_own = point.startswith(("/proc/", "/sys/")) and ("ro" in options or root.endswith("/null"))
        # /dev/full in the place of /dev/zero: see the sandbox's helper.
        device = point.startswith("/dev/") and root.endswith((point.removeprefix("/dev"), "/full"))
        if point not in MOUNTED and not kernels_own and not device:
            found.append(point)
    return found


def _mounts(_: Facts) -> str:
    found = unusual_mounts(Path("/proc/self/mountinfo").read_text())
    if SECRETS_FOLDER in found and os.listdir(SECRETS_FOLDER) == [FIPS_MARK]:  # noqa: PTH208  names are all
        found.remove(SECRETS_FOLDER)
    if found:
        return f"mounted: {', '.join(found)}"
    raise PermissionError("only what every sandbox has")


def _ids() -> dict[int, int]:
    """Each process that is to be seen -> its parent."""
    found = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            try:
                fields = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it ended meanwhile
                continue
            found[int(entry.name)] = int(fields[1])
    return found


def _processes(_: Facts) -> str:
    """Whatever neither came from this process nor this process from it."""
    parents, me = _ids(), os.getpid()

    def line(pid: int) -> list[int]:
        return [pid, *(line(parents[pid]) if parents.get(pid) else [])]

    others = [pid for pid in parents if me not in line(pid) and pid not in line(me)]
    if others:
        return f"seen: {', '.join(map(str, others))}"
    raise PermissionError("only its own")


def _files(facts: Facts) -> str:
    for point in [facts["boxes"], *mount_points()]:
        for entry in walk(point):
            if facts["neighbour"] in entry.name:
                return f"found: {entry.path}"
    raise PermissionError("none is to be seen")


def _boxes(facts: Facts) -> str:
    return f"listed: {len(list(Path(facts['boxes']).iterdir()))} entries"


def _namespaces(facts: Facts) -> str:
    same = [kind for kind, name in facts["namespaces"].items() if str(Path(f"/proc/self/ns/{kind}").readlink()) == name]
    if same:
        return f"those of the harness: {', '.join(same)}"
    raise PermissionError("all its own")


def _shared_memory(facts: Facts) -> str:
    names = [entry.name for entry in os.scandir("/dev/shm") if entry.name != facts["mark"]]  # noqa: S108
    if names:
        return f"in /dev/shm: {', '.join(names)}"
    raise PermissionError("none")


def _connect(path: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.connect(path)


def _podman(facts: Facts) -> str:
    _connect(facts["podman"])
    return "connected"


def _usual(_: Facts) -> str:
    refused: OSError = FileNotFoundError("none")
    for path in USUAL_SOCKETS:
        try:
            _connect(path)
        except OSError as error:
            refused = error
        else:
            return f"connected to {path}"
    raise refused


def _any_socket(_: Facts) -> str:
    for point in (*mount_points(), "/run", "/var"):
        for entry in walk(point):
            if stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode):
                return f"found: {entry.path}"
    raise FileNotFoundError("none")


def _variables(facts: Facts) -> str:
    more = sorted(set(os.environ) - set(facts["environment"]) - OWN_VARIABLES)
    if more:
        return f"not given by the harness: {', '.join(more)}"
    raise PermissionError("only what was given")


def _of_processes(file: str, _: Facts) -> Seen:
    """What each process that is to be seen has in a file of its folder in /proc."""
    return Seen("\n".join(_text(f"/proc/{pid}/{file}") for pid in _ids()))


def _contents(_: Facts) -> Seen:
    """Small files, and the table of mounts, in whose options podman could put something."""
    texts, room = [_text("/proc/self/mountinfo")], MOST
    for number, entry in enumerate(entry for folder in SEARCHED for entry in walk(folder)):
        if room <= 0 or number > MANY:
            break
        if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_size <= LARGEST:
            texts.append(_text(entry.path))
            room -= len(texts[-1])
    return Seen("\n".join(texts))


def _text(path: str) -> str:
    """As one character for each byte; nothing where it can't be read."""
    try:
        return Path(path).read_bytes()[:LARGEST].decode("latin-1")
    except OSError:
        return ""


PROBES = (
    Probe("neighbours-processes", NEIGHBOURS, _processes),
    Probe("neighbours-files", NEIGHBOURS, _files),
    Probe("sandboxes-folder", NEIGHBOURS, _boxes),
    Probe("own-namespaces", NEIGHBOURS, _namespaces),
    Probe("shared-memory", NEIGHBOURS, _shared_memory),
    Probe("usual-mounts", NEIGHBOURS, _mounts),
    Probe("podman-service", PODMAN, _podman),
    Probe("usual-sockets", PODMAN, _usual),
    Probe("any-socket", PODMAN, _any_socket),
    Probe("variables", SECRETS, _variables),
    Probe("secrets-environment", SECRETS, partial(_of_processes, "environ")),
    Probe("secrets-command-lines", SECRETS, partial(_of_processes, "cmdline")),
    Probe("secrets-files", SECRETS, _contents),
)
