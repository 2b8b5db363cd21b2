"""Playing what a run still lacks: a few sandboxes at a time, masked attempts again, each attempt kept."""

import asyncio
import os
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import harness
from harness import __version__, pins
from harness.benchmarks.base import Benchmark
from harness.errors import HostUnfitError
from harness.run.attempt import Means, attempt
from harness.run.plan import Item
from harness.run.settings import Settings
from harness.sandbox import runtime
from harness.sandbox.host import Host
from harness.store.canonical import JSON
from harness.store.runfolder import RunFolder

Say = Callable[[str], None]

NO_CGROUPS = (
    "This host can't hold every limit, and --require-limits is set: there is no cgroup v2 of the harness's own. "
    "Start it in one (systemd-run --user --scope -p Delegate=yes ...), or leave --require-limits out."
)


async def play(
    run: RunFolder, benchmark: Benchmark, means: Means, items: Sequence[Item], settings: Settings, say: Say
) -> int:
    """Play each item that nothing counts for yet, up to its last attempt; returns how many attempts were made.

    Raises as the store and the host do; what fails under one attempt masks that attempt.
    """
    missing = [item for item in items if run.done(item.task, item.repeat) is None and not _recovered(run, item)]
    if not missing:
        return 0
    limit = settings["max_attempts"]
    if used := [item for item in missing if len(run.attempt_names(item.task, item.repeat)) >= limit]:
        say(
            f"{len(used)} of {len(missing)} unmeasured rollouts have had their {limit} attempts, all masked: they are "
            f"not tried again. Once the cause is mended: --max-attempts {2 * limit}"
        )
    made = 0
    started = time.time_ns()
    async with Host(runtime.find(os.environ)) as host:
        if settings["require_limits"] and not host.cgroups:
            raise HostUnfitError(NO_CGROUPS)
        run.write_observed(platform.node() or "unknown", started, _observed(started, host))
        queue = iter(missing)

        async def work() -> None:
            nonlocal made
            for item in queue:
                task = benchmark.task(item.task, settings["timeout"])
                before = len(run.attempt_names(item.task, item.repeat))
                for number in range(before, limit):
                    made += 1
                    began = time.monotonic()
                    ref, outcome = await attempt(host, run, means, task, item.repeat)
                    why = f": {outcome.reason}" if ref.masked and outcome.reason else ""
                    name = f"task {item.task}, repeat {item.repeat}, attempt {number + 1}"
                    say(f"{name}: {outcome.kind} ({time.monotonic() - began:.1f} s){why}")
                    if not ref.masked:
                        break

        try:
            async with asyncio.TaskGroup() as workers:
                for _ in range(min(settings["jobs"], len(missing))):
                    workers.create_task(work())
        except ExceptionGroup as group:
            # The first one has ended the others; it says what happened.
            raise group.exceptions[0] from None
    return made


def _recovered(run: RunFolder, item: Item) -> bool:
    """Whether an attempt is a measurement that a killed process kept and did not publish yet: then it counts now."""
    measured = [ref for ref in run.attempts(item.task, item.repeat) if not ref.masked]
    return bool(measured) and (run.publish_done(measured[0]) or run.done(item.task, item.repeat) is not None)


def _observed(started: int, host: Host) -> dict[str, JSON]:
    closure = pins.closure()
    return {
        "kind": "start",
        "started_ns": str(started),
        "harness": __version__,
        "package": str(Path(harness.__file__).parent),
        "kernel": platform.release(),
        "runtime": str(closure.runtime),
        "rootfs": str(closure.rootfs),
        "pins_sha256": closure.pins_sha256,
        "cgroups": host.cgroups,
        "swept": list(host.swept),
    }
