"""What the host itself must give before the harness can enter its namespace; each lack is explained.

Reading and judging are apart, so that `harness doctor` judges by the very same functions.
"""

import os
import pwd
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Self

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
SUBUID, SUBGID = Path("/etc/subuid"), Path("/etc/subgid")


@attrs.frozen
class IdSetup:
    """What the namespace is made of: the id helpers of the host and the ranges of ids."""

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


def check(env: Mapping[str, str]) -> IdSetup:
    """Everything that can be known before trying.

    Raises:
        HostUnfitError: with what an administrator can do.
    """
    check_switches(sysctls(), text(Path("/proc/self/status")))
    user, path = User.of(os.getuid(), env), env.get("PATH", "")
    users, groups = (
        subids.choose(text(file), user.names, str(file), in_passwd=user.in_passwd) for file in (SUBUID, SUBGID)
    )
    return IdSetup({name: check_helper(name, Helper.of(name, path), path) for name in HELPERS}, users, groups)
