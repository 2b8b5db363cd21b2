"""The part of the full test that fills what is bounded: in sandboxes of small bounds, one for memory alone."""

import asyncio
from collections.abc import Mapping

import attrs

from harness.sandbox import netns_helper
from harness.sandbox.host import Host
from harness.sandbox.selftest import judging, staging
from harness.sandbox.selftest.probes import exhaustion
from harness.sandbox.selftest.running import Kind, Ran, made
from harness.sandbox.selftest.values import State, Vector
from harness.sandbox.values import MIB, Limits

#: Filled in a second or two.
SMALL = Limits(memory=192 * MIB, workdir=8 * MIB, tmp=8 * MIB, shm=4 * MIB, pids=64, open_files=128, inodes=500)
BOUNDS: Mapping[str, int] = {
    **{name: getattr(SMALL, name) for name in ("workdir", "tmp", "shm", "pids", "open_files", "inodes")},
    "output": staging.OUTPUTS["report"],
    "watchers": netns_helper.COUNTED["max_inotify_instances"],
}
#: What the weakened twins may use instead.
LARGE = Limits(memory=2048 * MIB, workdir=32 * MIB, tmp=32 * MIB, shm=16 * MIB, pids=256, open_files=512, inodes=2000)


#: For how long too much memory is kept, in seconds: a watchdog looks four times a second, and a machine may be busy.
KEPT = 20


async def exhaust(host: Host, limits: Limits = SMALL, kept: int = KEPT) -> tuple[Vector, ...]:
    """Vectors of both sandboxes; what fills its disks goes on beside the one that runs out of memory.

    Args:
        limits: of the sandboxes; the bounds that are to hold are always those of ``SMALL``.
        kept: seconds for which too much memory is kept.

    Raises:
        SandboxError: a sandbox could not be made.
    """
    filling, memory = await asyncio.gather(
        _run(host, BOUNDS, limits),
        _run(host, {"memory": SMALL.memory, "seconds": kept}, limits),
        return_exceptions=True,
    )
    for result in (filling, memory):
        if isinstance(result, BaseException):
            raise result
    assert isinstance(filling, Ran)
    assert isinstance(memory, Ran)
    return (*judging.judge({"user": filling.report}, probes=exhaustion.PROBES), memory_vector(memory))


async def _run(host: Host, bounds: Mapping[str, int], limits: Limits) -> Ran:
    known = {**staging.facts(host, neighbour="", abstract=""), "bounds": dict(bounds)}
    stage = staging.stage(known, "exhaustion", module="exhaustion", limits=limits)
    async with made(host, stage, Kind(places=())) as ready:
        return await ready.run()


def memory_vector(ran: Ran) -> Vector:
    """What ended the sandbox that took too much memory, as the outside saw it."""
    probe = exhaustion.MEMORY
    if ran.ended.how != "out-of-memory":
        (said,) = judging.judge({"user": ran.report}, probes=(probe,))
        return attrs.evolve(said, state="broken", detail=f"{ran.ended.how}: {said.detail}")
    held = ran.evidence.limits["memory"]
    state: State = "held by the watchdog" if held == "watchdog" else "held"
    return Vector(probe.name, probe.group, state, f"{held}, {ran.evidence.peak_rss // MIB} MiB at most")
