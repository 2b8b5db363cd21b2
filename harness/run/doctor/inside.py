"""What only trying shows, tried inside the harness's own namespace; prints one JSON object.

usage: ``python -I -m harness.run.doctor.inside [quick|full]``: with the sandbox's self-test

Nothing here sends a packet off the machine: packet filters are tried in network namespaces without a device.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.errors import HarnessError, HostUnfitError, SandboxError
from harness.run.doctor.values import Check
from harness.sandbox import limits, mounts, namespace, network, runtime, state
from harness.sandbox.host import Host
from harness.sandbox.values import MIB, Evidence, Stage

SECONDS = 60.0  # for one sandbox that does nothing
OVERLAY = "Use Linux 5.11 or later, and set HARNESS_STATE_DIR to a folder on ext4, xfs or btrfs."
LOOK = "See the other checks; where they are all well, report this text."


def overlay(scratch: Path, lower: Path) -> str:
    """The sandbox's root on a writable layer in the scratch folder, as podman mounts it."""
    upper, work, where = (scratch / name for name in ("upper", "work", "merged"))
    for folder in (upper, work, where):
        folder.mkdir()
    mounts.overlay(where, lower, upper, work)
    try:
        (where / "written").write_text("x")
        return f"mounted and written to, on {scratch.parent}"
    finally:
        mounts.unmount(where)


def tmpfs(scratch: Path) -> str:
    """A bounded file system in memory; that its bound holds is seen by filling it."""
    where = scratch / "memory"
    where.mkdir()
    mounts.tmpfs(where, MIB, 16, mode=0o700)
    try:
        (where / "full").write_bytes(b"x" * 2 * MIB)
    except OSError:
        return "mounted, and bounded"
    finally:
        mounts.unmount(where)
    raise SandboxError("A tmpfs of 1 MiB took 2 MiB")


def tried(name: str, advice: str, probe: Any, *arguments: Path) -> Check:
    """One of the above."""
    try:
        return Check(name, "ok", probe(*arguments))
    except (SandboxError, OSError) as error:
        return Check(name, "failed", str(error), advice)


async def packets(tools: runtime.Runtime) -> Check:
    """The very rules, in a network namespace that is thrown away."""
    try:
        await network.check_kernel(tools)
    except HostUnfitError as error:
        return Check.lacking("nftables", error)
    return Check("nftables", "ok", "the sandbox's rules were loaded in a network namespace")


async def sandbox(host: Host) -> list[Check]:
    """A sandbox that does nothing, and what held its limits."""
    stage = Stage(command=("/bin/true",), env={"PATH": "/usr/bin:/bin", "HOME": "/home"})
    async with host.sandbox(stage) as box:
        ended = await box.run(SECONDS)
        evidence = await box.evidence()
    if ended.exit_code != 0:
        raise SandboxError(f"/bin/true {ended.how} with status {ended.exit_code}")
    return [Check("sandbox", "ok", "one was made, ran and is gone"), held(host, evidence)]


def held(host: Host, evidence: Evidence) -> Check:
    """A watchdog's limit is softer than the kernel's: worth a word."""
    found = ", ".join(f"{name} by {how}" for name, how in sorted(evidence.limits.items()))
    if limits.weak({name for name, how in evidence.limits.items() if how == "cgroup"}):
        why = f" ({host.no_cgroups})" if host.no_cgroups else ""
        return Check("limits", "warning", f"{found}{why}", limits.REMEDY)
    return Check("limits", "ok", found)


async def examine(tools: runtime.Runtime, selftest: str) -> dict[str, Any]:
    """All of it; ``selftest`` is quick, full or empty."""
    ids = namespace.mapped_ids()
    checks = [Check("namespace", "ok", f"user, mount and PID namespace with {ids.count} ids of its own")]
    try:
        with state.scratch(os.environ) as scratch:
            checks.append(tried("overlay", OVERLAY, overlay, scratch, tools.root))
            checks.append(tried("tmpfs", "Use a kernel with CONFIG_TMPFS.", tmpfs, scratch))
    except HostUnfitError as error:
        checks.append(Check.lacking("overlay", error))
    checks.append(await packets(tools))
    report: Mapping[str, Any] = {}
    if all(one.state == "ok" for one in checks):
        try:
            async with Host(tools) as host:
                checks += await sandbox(host)
                report = await tested(host, selftest)
        except HarnessError as error:
            checks.append(Check("sandbox", "failed", str(error), LOOK))
    return {"checks": [one.to_json() for one in checks], **report}


async def tested(host: Host, selftest: str) -> Mapping[str, Any]:
    """What the self-test reports; nothing where it isn't asked for."""
    if not selftest:
        return {}
    from harness.sandbox import selftest as test

    if selftest == "quick":
        return {"vectors": [one.to_json() for one in await test.quick(host)], "twins": []}
    report = await test.full(host, twins=True)
    return {
        "vectors": [one.to_json() for one in report.vectors],
        "twins": [one.to_json() for one in report.twins],
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(examine(runtime.find(os.environ), "".join(sys.argv[1:])))))
