"""What one job asks Slurm for, out of the run's settings and the site's knobs; pure arithmetic."""

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import attrs

from harness.errors import UsageError
from harness.run.room import MIB, memory
from harness.run.settings.resolve import Settings, chosen
from harness.run.slurm.knobs import Knobs

#: Beside the sandboxes: the harness itself, podman and the watchdog of a few sandboxes (measured: 300 MiB).
OVERHEAD: Final = 512  # MiB
#: Before and after an attempt's own time: the self-test, the sandbox's start and end, its record.
AROUND: Final = 120.0  # seconds
#: Slurm's signal comes up to a minute early, as its manual says.
EARLY: Final = 60  # seconds
#: The longest warning that sbatch's --signal takes.
LONGEST_WARNING: Final = 65_535  # seconds


@attrs.frozen
class Job:
    """``jobs`` sandboxes at a time; memory in MiB; ``minutes`` is the limit, the warning comes ``warning`` seconds
    before it."""

    jobs: int
    cpus: int
    memory: int
    minutes: int
    warning: int


def job(settings: Settings, knobs: Knobs, rollouts: int) -> Job:
    """One job, whose shard has at most so many rollouts.

    The limit is what they take where each of them uses its whole time-out once, and the time to finish what runs; at
    most the site's longest: a job that is warned ends well and goes back into the queue. Raises UsageError where no
    sandbox has room in the job, or no attempt in the time.
    """
    wanted = settings["jobs"]
    cpus = knobs.cpus or max(1, math.ceil(wanted * settings["cpus"]))
    room = knobs.memory_mib or wanted * settings["memory_mib"] + OVERHEAD
    jobs = fitting(settings, cpus, room, cap=wanted if _capped(settings, knobs) else None)
    if jobs < 1:
        raise UsageError(
            f"slurm.memory_mib = {room} has no room for a sandbox of {settings['memory_mib']} MiB and {OVERHEAD} MiB "
            "for the harness. Ask for more, or give a smaller --memory-mib."
        )
    each = settings["timeout"] + AROUND + settings["judge_timeout"]
    warning = math.ceil(each) + EARLY
    whole = math.ceil(rollouts / jobs) * each
    needed, limit = math.ceil((warning + each) / 60), min(knobs.max_time, math.ceil((warning + whole) / 60))
    if needed > knobs.max_time or warning > LONGEST_WARNING:
        raise UsageError(
            f"A job needs {needed} minutes: one attempt of --timeout {settings['timeout']:g} s, and as long again to "
            f"finish it after the warning. slurm.max_time is {knobs.max_time} minutes, and Slurm warns at most "
            f"{LONGEST_WARNING // 60} minutes before the limit. Ask for more time, or give a smaller --timeout."
        )
    return Job(jobs=jobs, cpus=cpus, memory=room, minutes=limit, warning=warning)


def fitting(settings: Settings, cpus: int, room: int, cap: int | None = None) -> int:
    """How many sandboxes a job of so many cores and MiB has room for; 0 where its memory is too small for one.

    Cores are a matter of speed only: a job of one core runs one sandbox all the same.
    """
    by_memory: int = (room - OVERHEAD) // settings["memory_mib"]
    found = min(max(1, int(cpus // settings["cpus"])), by_memory)
    return max(0, found if cap is None else min(found, cap))


def given(env: Mapping[str, str], meminfo: Path = Path("/proc/meminfo")) -> tuple[int, int]:
    """Cores and MiB that Slurm gave the job in whose environment this is; the node's where it doesn't say."""
    cpus = _number(env, "SLURM_CPUS_PER_TASK") or _number(env, "SLURM_CPUS_ON_NODE") or len(os.sched_getaffinity(0))
    room = _number(env, "SLURM_MEM_PER_NODE") or _number(env, "SLURM_MEM_PER_CPU") * cpus
    return cpus, room or memory(meminfo.read_text()) // MIB


def _capped(settings: Settings, knobs: Knobs) -> bool:
    """Whether --jobs bounds what the job's size would allow: not where only its default does."""
    return chosen(settings, "jobs") or (knobs.cpus is None and knobs.memory_mib is None)


def _number(env: Mapping[str, str], name: str) -> int:
    value = env.get(name, "")
    return int(value) if value.isdecimal() else 0
