"""What the host itself must give before the harness can enter its namespace; each lack is explained."""

import os
import pwd
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path

import attrs

from harness.errors import HostUnfitError
from harness.sandbox import subids

HELPERS = ("newuidmap", "newgidmap")
SYSCTLS = {
    "kernel/unprivileged_userns_clone": "kernel.unprivileged_userns_clone=1",
    "user/max_user_namespaces": "user.max_user_namespaces=65536",
    "user/max_mnt_namespaces": "user.max_mnt_namespaces=65536",
    "user/max_pid_namespaces": "user.max_pid_namespaces=65536",
    "user/max_net_namespaces": "user.max_net_namespaces=65536",
}
APPARMOR = "kernel/apparmor_restrict_unprivileged_userns"


@attrs.frozen
class IdSetup:
    """What the namespace is made of: the id helpers of the host and the ranges of ids."""

    helpers: Mapping[str, Path]
    users: subids.IdRange
    groups: subids.IdRange


def id_helpers(path: str) -> dict[str, Path]:
    """newuidmap and newgidmap as found on ``path``, checked to hold their privilege."""
    found = {}
    for name in HELPERS:
        where = shutil.which(name, path=path)
        if where is None:
            raise HostUnfitError(
                f"{name} is not on PATH ({path}): rootless sandboxes need it. As root: apt-get install uidmap"
            )
        file = Path(where).resolve()
        if not (file.stat().st_mode & stat.S_ISUID or "security.capability" in os.listxattr(file)):
            raise HostUnfitError(f"{file} is neither setuid root nor has capabilities. As root: chmod u+s {file}")
        found[name] = file
    return found


def user_names(uid: int, env: Mapping[str, str]) -> tuple[str, ...]:
    """Names under which the user may stand in /etc/subuid.

    A user of a directory service is unknown to our Python, which has only the plain files' lookup: what the
    environment says is then tried. newuidmap checks it, so a wrong name gains nothing.
    """
    try:
        return (pwd.getpwuid(uid).pw_name, str(uid))
    except KeyError:
        return (*(env[key] for key in ("USER", "LOGNAME") if env.get(key)), str(uid))


def id_range(file: Path, names: tuple[str, ...]) -> subids.IdRange:
    """The user's range in ``file``; a missing file is an empty one."""
    text = file.read_text() if file.exists() else ""
    return subids.choose(text, names, str(file))


def forbidden(sysctl: Path = Path("/proc/sys")) -> str | None:
    """Why this kernel forbids namespaces to an unprivileged process, or None where no known switch does."""
    for name, setting in SYSCTLS.items():
        file = sysctl / name
        if file.exists() and file.read_text().strip() == "0":
            return f"{setting.split('=')[0]} is 0. As root: sysctl -w {setting}"
    if "NoNewPrivs:\t1" in Path("/proc/self/status").read_text():
        return "this process runs with no-new-privileges, under which newuidmap can't work: start it without"
    return None


def apparmor(sysctl: Path = Path("/proc/sys")) -> str | None:
    """What to do about AppArmor's restriction, or None where it is off.

    It goes by the path of the program, so an administrator may have allowed ours: only a failure makes it the cause.
    """
    file = sysctl / APPARMOR
    if not file.exists() or file.read_text().strip() == "0":
        return None
    return (
        "kernel.apparmor_restrict_unprivileged_userns is 1. As root: "
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or load a profile that allows userns to unshare"
    )


def check(env: Mapping[str, str]) -> IdSetup:
    """Everything that can be known before trying.

    Raises:
        HostUnfitError: with what an administrator can do.
    """
    reason = forbidden()
    if reason is not None:
        raise HostUnfitError(f"This host forbids user namespaces: {reason}")
    names = user_names(os.getuid(), env)
    return IdSetup(
        helpers=id_helpers(env.get("PATH", "")),
        users=id_range(Path("/etc/subuid"), names),
        groups=id_range(Path("/etc/subgid"), names),
    )
