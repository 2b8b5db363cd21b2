"""Removing what dead harness processes, or a dead podman service, left behind."""

import asyncio
import json
from collections.abc import Collection
from pathlib import Path

from harness.errors import SandboxError
from harness.sandbox import state
from harness.sandbox.service import Service
from harness.sandbox.spec import OWNER_LABEL

#: Kills at once, takes the overlay and anonymous volumes along.
REMOVAL = {"force": "true", "v": "true", "timeout": "0"}

#: Seconds. When a sandbox has just died, podman may be about to note that, and refuses meanwhile: "state improper".
REMOVAL_PAUSES = (0.05, 0.1, 0.2, 0.5, 1, 2)


def sweep(parent: Path) -> tuple[str, ...]:
    """Removes the folders of owners that are gone; their processes and mounts died with their namespace.

    Returns:
        The names of the owners.
    """
    names = []
    for left in state.dead(parent):
        names.append(left.name)
        state.remove(left)
    return tuple(names)


async def containers(service: Service, owner: str, keep: Collection[str]) -> tuple[str, ...]:
    """Removes each container of ``owner`` whose name is not in ``keep``: what a lost answer of podman's left.

    Returns:
        The names of the removed.
    """
    wanted = json.dumps({"label": [f"{OWNER_LABEL}={owner}"]})
    listed = await service.call("GET", "/containers/json", params={"all": "true", "filters": wanted}) or []
    lost = [one for one in listed if not any(name in keep for name in one["Names"])]
    await asyncio.gather(*(remove(service, one["Id"]) for one in lost))
    return tuple(name for one in lost for name in one["Names"])


async def remove(service: Service, container: str) -> None:
    """Removes one container, running or not; that there is none is as good.

    Raises:
        SandboxError: podman could not, again and again.
    """
    for pause in REMOVAL_PAUSES:
        try:
            return await _remove_once(service, container)
        except SandboxError:
            await asyncio.sleep(pause)
    return await _remove_once(service, container)


async def _remove_once(service: Service, container: str) -> None:
    reports = await service.call("DELETE", f"/containers/{container}", params=REMOVAL, accept=(404,))
    failed = [one["Err"] for one in reports if one.get("Err")] if isinstance(reports, list) else []
    if failed:
        raise SandboxError(f"podman could not remove {container}: {failed[0]}")
