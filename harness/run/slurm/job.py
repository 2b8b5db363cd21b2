"""What one task of the job array runs: a shard, then whether the job goes back into the queue.

USR1: the limit is near. The shard finishes what runs and starts nothing new; if something is left then, this job asks
Slurm to queue it again, unless it has made no attempt at all: the next one would come no further.

TERM: somebody or something else ends the job. The shard stops at once, and the job never queues itself again: that
would bring a cancelled job back.
"""

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from harness.errors import EXIT_INTERRUPTED, HarnessError, HostUnfitError, UsageError
from harness.run.doctor.entering import standard_output
from harness.run.settings.resolve import Settings, chosen
from harness.run.slurm import client, size
from harness.sandbox import namespace

WARNED = signal.SIGUSR1
STOPPED = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
NO_TIME = (
    "the time ran out before an attempt had ended: this job is not queued again. Ask for more time (slurm.max_time), "
    "and call harness slurm submit again."
)


def shard(env: Mapping[str, str], shards: int) -> int:
    """The number of the task of the array that this is; UsageError outside of one."""
    number = env.get("SLURM_ARRAY_TASK_ID", "")
    if not number.isdecimal() or int(number) >= shards:
        raise UsageError(
            f"SLURM_ARRAY_TASK_ID is {number!r}, and no shard of {shards}: this runs in a job of harness slurm submit."
        )
    return int(number)


def sandboxes(settings: Settings, env: Mapping[str, str]) -> int:
    """How many sandboxes at a time this job has room for; HostUnfitError where not one."""
    cpus, room = size.given(env)
    found = size.fitting(settings, cpus, room, settings["jobs"] if chosen(settings, "jobs") else None)
    if found < 1:
        raise HostUnfitError(
            f"This job has {room} MiB: no room for a sandbox of {settings['memory_mib']} MiB.",
            "Submit again with a larger slurm.memory_mib.",
        )
    return found


def run(words: Sequence[str], env: Mapping[str, str], say: Callable[[str], None]) -> int:
    """Run a command line of the harness that prints a run's object, in its namespace; its exit status."""
    with _heard() as heard, standard_output() as file:
        status = namespace.enter([sys.executable, "-I", "-m", "harness.cli", *words], env)
        signals = heard()
        file.seek(0)
        printed = file.read()
    if warned(status, signals):
        say(_requeue(env) if attempts(printed) else NO_TIME)
    return status


def warned(status: int, signals: Sequence[int]) -> bool:
    """Whether a job that ended so, and heard these signals, was cut short by a warning and nothing else."""
    return status == EXIT_INTERRUPTED and WARNED in signals and not STOPPED.intersection(signals)


def attempts(printed: bytes) -> int:
    """How many attempts a run has made that printed this at its end; none where it was stopped before the first."""
    try:
        made = json.loads(printed)["new_attempts"]
    except (ValueError, TypeError, KeyError):
        return 0
    return made if isinstance(made, int) else 0


def _requeue(env: Mapping[str, str]) -> str:
    """Put this job back into the queue; what came of it in words."""
    # Not SLURM_JOB_ID: the array's last task to begin has the number of the whole array.
    job = f"{env.get('SLURM_ARRAY_JOB_ID', '')}_{env.get('SLURM_ARRAY_TASK_ID', '')}"
    try:
        client.requeue(job, env)
    except HarnessError as error:
        return f"the time ran out, and this job can't be queued again: {error} Call harness slurm submit again."
    return f"the time ran out: job {job} is queued again"


@contextlib.contextmanager
def _heard() -> Iterator[Callable[[], bytes]]:
    """Gives the numbers of all signals that came meanwhile, whoever handles them."""
    seen, wake = os.pipe()
    os.set_blocking(seen, False)
    os.set_blocking(wake, False)
    before = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def numbers() -> bytes:
        try:
            return os.read(seen, 4096)
        except BlockingIOError:
            return b""

    try:
        yield numbers
    finally:
        signal.set_wakeup_fd(before)
        os.close(seen)
        os.close(wake)
