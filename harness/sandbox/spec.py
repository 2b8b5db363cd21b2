"""The create call of a sandbox: podman's own JSON, as a value. Pure."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from harness.sandbox.slots import Slot
from harness.sandbox.subids import SLOT_IDS
from harness.sandbox.values import Stage

#: The sandbox's only user, as it sees itself.
USER_ID = 1000
OWNER_LABEL = "harness.owner"
Altered = Callable[[dict[str, Any]], dict[str, Any]]
#: The kernel's out-of-memory killer takes a sandbox before it takes the harness.
OOM_SCORE = 500


@attrs.frozen
class Place:
    """What of the host a sandbox is made of: all paths are in the harness's mount namespace."""

    name: str
    owner: str
    rootfs: Path
    seccomp: Path
    #: Staged files, to be seen at /task/in.
    inputs: Path
    #: Name under /task/out -> the one file that is seen there.
    outputs: Mapping[str, Path]
    #: Folder in the sandbox -> a bounded file system in memory.
    writable: Mapping[str, Path]
    #: The harness's own hard limits, by the names of ulimits: nobody can give more than he has.
    ceilings: Mapping[str, int] = attrs.field(factory=dict)
    #: The harness's own, which a child can't go below.
    oom_score: int = 0


def unaltered(spec: dict[str, Any]) -> dict[str, Any]:
    """The create call as it is: every rollout's."""
    return spec


def _bind(source: Path, destination: str, *options: str) -> dict[str, Any]:
    return {
        "type": "bind",
        "source": str(source),
        "destination": destination,
        "options": ["rbind", "nosuid", "nodev", *options],
    }


def _mounts(place: Place) -> list[dict[str, Any]]:
    return [
        *(_bind(source, folder, "rw") for folder, source in sorted(place.writable.items())),
        _bind(place.inputs, "/task/in", "ro", "noexec"),
        *(_bind(source, f"/task/out/{name}", "rw", "noexec") for name, source in sorted(place.outputs.items())),
    ]


def _ulimits(stage: Stage, ceilings: Mapping[str, int]) -> list[dict[str, Any]]:
    limits = stage.limits
    wanted = {"core": 0, "fsize": limits.workdir, "nofile": limits.open_files, "nproc": limits.pids}
    values = {name: min(value, ceilings.get(name, value)) for name, value in wanted.items()}
    return [{"type": name, "soft": value, "hard": value} for name, value in values.items()]


def create(stage: Stage, slot: Slot, place: Place) -> dict[str, Any]:
    """The body of ``POST containers/create``.

    No capability, no new privileges, no network device, no writable folder of the host; its own range of ids. No
    limit of a cgroup: where podman has none to write to, it either ignores them without a word or makes no sandbox.
    """
    ids = [{"container_id": 0, "host_id": slot.first, "size": SLOT_IDS}]
    return {
        "name": place.name,
        "labels": {**{f"harness.{key}": value for key, value in stage.labels.items()}, OWNER_LABEL: place.owner},
        "command": list(stage.command),
        "env": dict(stage.env),
        "user": f"{USER_ID}:{USER_ID}",
        "work_dir": "/workspace",
        "hostname": "sandbox",
        "rootfs": str(place.rootfs),
        "rootfs_overlay": True,
        "read_only_filesystem": True,
        "read_write_tmpfs": False,
        "netns": {"nsmode": "none"},
        # The tree's own /etc/hosts and resolv.conf: podman's would hold the host's name and name servers.
        "use_image_hosts": True,
        "use_image_resolve_conf": True,
        "cap_drop": ["ALL"],
        "no_new_privileges": True,
        "seccomp_profile_path": str(place.seccomp),
        "userns": {"nsmode": "private"},
        "idmappings": {"HostUIDMapping": False, "HostGIDMapping": False, "UIDMap": ids, "GIDMap": ids},
        "systemd": "false",
        "timeout": stage.limits.backstop,
        "stop_timeout": 0,
        "log_configuration": {"driver": "none"},
        "oom_score_adj": max(OOM_SCORE, place.oom_score),
        "r_limits": _ulimits(stage, place.ceilings),
        "mounts": _mounts(place),
    }
