"""Versions and digests of what a machine gives beside what is pinned: for records, and for `doctor --json`."""

import os
import platform
from collections.abc import Mapping
from pathlib import Path

from harness.errors import HostUnfitError
from harness.run.doctor import reading
from harness.run.doctor.values import Helper
from harness.run.room import memory
from harness.sandbox import fitness, mounts, namespace
from harness.store.canonical import JSON


def provided(env: Mapping[str, str]) -> dict[str, JSON]:
    """From the host come the kernel, Nix, newuidmap and newgidmap, and the user's ids.

    The same outside and inside of the namespace, whose ``env`` keeps the host's PATH and uid. The memory is in bytes;
    where there is none of a thing, null stands.
    """
    path = env.get(namespace.HOST_PATH, env.get("PATH", ""))
    user = fitness.User.of(int(env.get(namespace.HOST_UID, fitness.host_uid())), env)
    mountinfo = mounts.table()
    return {
        "kernel": f"{platform.release()} {platform.version()}",
        "nix": reading.nix_version(path),
        **{name: _helper(reading.helper(name, path, mountinfo)) for name in fitness.HELPERS},
        **{file.name: _lines(file, user) for file in (fitness.SUBUID, fitness.SUBGID)},
        "cpus": len(os.sched_getaffinity(0)),
        "memory": memory(Path("/proc/meminfo").read_text()),
    }


def _helper(helper: Helper | None) -> JSON:
    if helper is None:
        return None
    return {"path": str(helper.found.path), "mode": f"{helper.found.mode:04o}", "sha256": helper.sha256}


def _lines(file: Path, user: fitness.User) -> list[JSON]:
    try:
        return lines(fitness.text(file), user)
    except HostUnfitError:  # no run begins without it, but doctor says what it can
        return []


def lines(text: str, user: fitness.User) -> list[JSON]:
    """The user's own lines of /etc/subuid or /etc/subgid."""
    return [line.strip() for line in text.splitlines() if line.split(":")[0].strip() in user.names]
