"""What the host itself must give before the harness can enter its namespace; each lack is explained.

Reading and judging are apart, so that `harness doctor` judges by the very same functions.
"""

import os
import pwd
import re
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Self

import attrs

from harness.errors import HostUnfitError
from harness.sandbox import hostids, idmaps, subids

HELPERS = ("newuidmap", "newgidmap")
SYSCTLS = {
    "kernel/unprivileged_userns_clone": "kernel.unprivileged_userns_clone=1",
    "user/max_user_namespaces": "user.max_user_namespaces=65536",
    "user/max_mnt_namespaces": "user.max_mnt_namespaces=65536",
    "user/max_pid_namespaces": "user.max_pid_namespaces=65536",
    "user/max_net_namespaces": "user.max_net_namespaces=65536",
    "user/max_time_namespaces": "user.max_time_namespaces=65536",
}
APPARMOR = "kernel/apparmor_restrict_unprivileged_userns"
SUBUID, SUBGID = Path("/etc/subuid"), Path("/etc/subgid")
#: The kernel's numbers of the capabilities to set user and group ids.
CAP_SETGID, CAP_SETUID = 6, 7


@attrs.frozen
class IdSetup:
    """What the namespace is made of: the id helpers of the host, none where this process maps ids itself, and the
    ranges of ids."""

    helpers: Mapping[str, Path]
    users: subids.IdRange
    groups: subids.IdRange


@attrs.frozen
class Helper:
    """newuidmap or newgidmap as found; ``mode`` has the setuid bit, ``capable``: whether it has capabilities."""

    path: Path
    mode: int
    capable: bool

    @classmethod
    def of(cls, name: str, path: str) -> Self | None:
        """The one on ``path``, None where there is none."""
        where = shutil.which(name, path=path)
        if where is None:
            return None
        file = Path(where).resolve()
        return cls(file, stat.S_IMODE(file.stat().st_mode), "security.capability" in os.listxattr(file))


@attrs.frozen
class User:
    """``names`` are those under which the user may stand in /etc/subuid, the uid the last one."""

    names: tuple[str, ...]
    in_passwd: bool

    @classmethod
    def of(cls, uid: int, env: Mapping[str, str]) -> Self:
        """A user of a directory service is unknown to our Python, which has only the plain files' lookup: what the
        environment says is then tried. newuidmap checks it, so a wrong name gains nothing."""
        try:
            return cls((pwd.getpwuid(uid).pw_name, str(uid)), in_passwd=True)
        except KeyError:
            named = (env[key] for key in ("USER", "LOGNAME") if env.get(key))
            return cls((*dict.fromkeys(named), str(uid)), in_passwd=False)


def check_helper(name: str, found: Helper | None, path: str) -> Path:
    """A helper that holds its privilege; ``path`` is where it was looked for.

    Raises:
        HostUnfitError: it isn't there, or has no privilege.
    """
    if found is None:
        raise HostUnfitError(
            f"{name} is not on PATH ({path}): rootless sandboxes need it.", "As root: apt-get install uidmap"
        )
    if not (found.mode & stat.S_ISUID or found.capable):
        raise HostUnfitError(
            f"{found.path} is neither setuid root nor has capabilities.", f"As root: chmod u+s {found.path}"
        )
    return found.path


def text(file: Path) -> str:
    """What is in ``file``; a missing file is an empty one.

    Raises:
        HostUnfitError: it can't be read.
    """
    try:
        return file.read_text(errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise HostUnfitError(f"{file} can't be read: {error.strerror}.", f"As root: chmod a+r {file}") from error


def sysctls(folder: Path = Path("/proc/sys")) -> dict[str, str]:
    """The kernel's switches for namespaces that there are, and AppArmor's, by name."""
    return {name: text(folder / name).strip() for name in (*SYSCTLS, APPARMOR) if (folder / name).exists()}


def check_switches(values: Mapping[str, str], status: str) -> None:
    """``values`` as of `sysctls`, ``status`` as in /proc/self/status.

    Raises:
        HostUnfitError: this kernel forbids namespaces to an unprivileged process, by a known switch.
    """
    for name, setting in SYSCTLS.items():
        if values.get(name) == "0":
            raise HostUnfitError(
                f"This host forbids user namespaces: {setting.split('=')[0]} is 0.", f"As root: sysctl -w {setting}"
            )
    if "NoNewPrivs:\t1" in status:
        raise HostUnfitError(
            "This process runs with no-new-privileges, under which newuidmap can't work.", "Start it without."
        )


def apparmor(values: Mapping[str, str]) -> HostUnfitError | None:
    """AppArmor's restriction, or None where it is off; ``values`` as of `sysctls`.

    It goes by the path of the program, so an administrator may have allowed ours: only a failure makes it the cause.
    """
    if values.get(APPARMOR, "0") == "0":
        return None
    return HostUnfitError(
        "kernel.apparmor_restrict_unprivileged_userns is 1.",
        "As root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or load a profile that allows userns to "
        "unshare",
    )


def root_within() -> IdSetup | None:
    """The ids that this process can hand on by itself: it is root in a user namespace that holds more than its own id,
    as in a rootless container, or below ``unshare --map-root-user --map-auto``. None anywhere else."""
    if os.geteuid() != 0 or hostids.initial():
        return None
    return root_of(hostids.Ids.here(), text(Path("/proc/self/status")), *map(text, (SUBUID, SUBGID)))


def root_of(ids: hostids.Ids, status: str, subuid: str, subgid: str) -> IdSetup | None:
    """The same for root of a namespace with these maps, by the texts of /proc/self/status, /etc/subuid and /etc/subgid.

    A range that the files give root there is taken, else all that is mapped.
    """
    effective = re.search(r"^CapEff:\s*([0-9a-f]+)", status, re.MULTILINE)
    held = int(effective[1], 16) if effective else 0
    if not (held >> CAP_SETUID & 1 and held >> CAP_SETGID & 1):
        return None
    users, groups = _root_range(ids.users, subuid), _root_range(ids.groups, subgid)
    return IdSetup({}, users, groups) if min(users.count, groups.count) >= subids.SLOT_IDS else None


def _root_range(mapped: idmaps.Map, file: str) -> subids.IdRange:
    given = (one for one in subids.parse(file, ("root", "0")) if one.count >= subids.SLOT_IDS)
    return next((one for one in given if idmaps.holds(mapped, one)), idmaps.others(mapped))


def host_uid() -> int:
    """The uid of the user whose this process is: root of a namespace is somebody else outside of it."""
    uid = os.getuid()
    if root_within() is None:
        return uid
    return next(idmaps.above(subids.IdRange(uid, 1), hostids.Ids.here().users)).first


def check(env: Mapping[str, str]) -> IdSetup:
    """Everything that can be known before trying.

    Raises:
        HostUnfitError: with what an administrator can do.
    """
    if within := root_within():
        check_switches(sysctls(), "")
        return within
    check_switches(sysctls(), text(Path("/proc/self/status")))
    user, path = User.of(os.getuid(), env), env.get("PATH", "")
    users, groups = (
        subids.choose(text(file), user.names, str(file), in_passwd=user.in_passwd) for file in (SUBUID, SUBGID)
    )
    return IdSetup({name: check_helper(name, Helper.of(name, path), path) for name in HELPERS}, users, groups)
