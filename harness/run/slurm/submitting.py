"""Submitting a run: what is left of it as a job array, and a last job that sums up."""

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

import harness
from harness.errors import HarnessError, UsageError
from harness.run import tasks
from harness.run.endpoints.recorded import replayed
from harness.run.plan import Item, plan
from harness.run.settings.datadir import data_dir
from harness.run.settings.keys import key, variables
from harness.run.settings.resolve import Settings, chosen
from harness.run.settings.table import SETTINGS
from harness.run.slurm import client, script, shards, size
from harness.run.slurm.knobs import Knobs
from harness.store import atomic, nodeimage
from harness.store.canonical import JSON

#: What the harness's own wrapper sets, and a source tree's Python is given by hand.
PARTS: Final = ("HARNESS_RUNTIME", "HARNESS_ROOTFS", "HARNESS_PINS")
#: Set by the user for all commands alike.
PLACES: Final = ("HARNESS_STATE_DIR", "SSL_CERT_FILE", "SSL_CERT_DIR")
#: Stands in the last job's name where the array's has the number of shards.
END: Final = "end"


@attrs.frozen(kw_only=True)
class Submission:
    """What is to be submitted: the scripts, and of which shards. ``queued`` are shards that a job has already."""

    run: Path
    name: str
    left: shards.Left
    queued: tuple[int, ...]
    sent: tuple[int, ...]
    array: str
    last: str
    logs: Path


def items(name: str, settings: Settings) -> tuple[Item, ...]:
    """The rollouts of the whole plan, as ``harness eval`` plans them; raises as `tasks.benchmark` does."""
    with tempfile.TemporaryDirectory() as folder:
        record = replayed(settings["policy"], Path(folder))
        found = settings if record is None else record.settings(settings)
        benchmark = tasks.benchmark(name, found, Path(folder), record.run if record else None)
        planned = plan(benchmark.ids, only=found["tasks"], limit=found["limit"])
        return plan([item.task for item in planned], repeats=found["repeats"])


def job_name(run: Path, end: object) -> str:
    """The name of a run's jobs: by it they are found again in the queue."""
    # The same for each path that leads there, and for one that is no UTF-8.
    return f"harness-{hashlib.sha256(os.fsencode(os.path.realpath(run))).hexdigest()[:12]}-{end}"


def prepare(
    planned: Sequence[Item],
    settings: Settings,
    site: script.Site,
    command: Sequence[str],
    count: int,
    queue: Sequence[client.Queued],
    benchmark: Path | None = None,
) -> Submission:
    """The scripts for what is left of a run in ``count`` shards and no job has; ``command`` is the shard's.

    ``benchmark``: the file of one's own benchmark, by which the last job grades.

    Raises UsageError where the queue has jobs of this run with another number of shards: they would do the same work.
    """
    run = Path(settings["run"])
    name = job_name(run, count)
    others = {job.name for job in queue if job.name.startswith(job_name(run, ""))} - {name, job_name(run, END)}
    if others:
        raise UsageError(
            f"The queue has jobs of this run with another number of shards ({', '.join(sorted(others))}). Give the "
            "same --shards, or let those end first."
        )
    queued = tuple(sorted({job.task for job in queue if job.name == name and job.task is not None}))
    left = shards.left(run, planned, count, settings["max_attempts"])
    sent = tuple(number for number in left.shards if number not in queued)
    own = [] if benchmark is None else [f"--benchmark={benchmark}"]
    job = size.job(settings, site.knobs, shards.largest(planned, count))
    return Submission(
        run=run,
        name=name,
        left=left,
        queued=queued,
        sent=sent,
        array=script.array(site, name, sent, job, command),
        last=script.last(site, job_name(run, END), ["rescore", str(run), *own, "--json"]),
        logs=site.logs,
    )


@attrs.frozen
class Sent:
    """What became of a submission: the numbers of the array's job and of the last one, None where nothing was left."""

    submission: Submission
    job: str | None
    last_job: str | None

    def to_json(self) -> dict[str, JSON]:
        """The object that ``--json`` prints."""
        what = self.submission
        return {
            "run": str(what.run),
            "planned": what.left.planned,
            "measured": what.left.measured,
            "given_up": what.left.given_up,
            "queued": list(what.queued),
            "sent": list(what.sent),
            "job": self.job,
            "last_job": self.last_job,
            "logs": str(what.logs),
        }


def submit(what: Submission, env: Mapping[str, str]) -> Sent:
    """Write the scripts beside the logs and hand them to sbatch; nothing of both where nothing is left."""
    if not what.sent:
        return Sent(what, None, None)
    array, last = (what.logs / f"{what.name}.{kind}.sh" for kind in ("array", END))
    for path, text in ((array, what.array), (last, what.last)):
        atomic.write(path, text.encode(errors="surrogateescape"))  # a path or a model's name need not be UTF-8
    job = client.submit(array, env)
    try:
        return Sent(what, job, client.submit(last, env, f"--dependency=afterany:{job}"))
    except HarnessError as error:
        raise HarnessError(
            f"The array is in the queue as job {job}, but not the job that sums up: {error} When the array has ended: "
            f"harness rescore {what.run}"
        ) from None


def site(
    knobs: Knobs, folder: Path, env: Mapping[str, str], settings: Settings | None = None, run: Path | None = None
) -> script.Site:
    """What the scripts have in common. ``folder``: where they are submitted from; a ``run`` has its logs beside it."""
    command, exports = harness_command(knobs, env)
    told = {} if settings is None else dict(_told(settings, env))
    logs = folder if run is None else folder / (knobs.logs or f"{run}.slurm")
    slurm = client.find(env)
    return script.Site(knobs=knobs, harness=command, exports=exports | told, slurm=slurm, folder=folder, logs=logs)


def harness_command(knobs: Knobs, env: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """The harness on a node, and what must stand in its environment: nothing but for a source tree's Python."""
    exports = {name: env[name] for name in PLACES if name in env and not env[name].startswith("/nix/store/")}
    if knobs.tmp:
        exports.pop("HARNESS_STATE_DIR", None)
    if knobs.harness:
        return [knobs.harness], exports
    if nodeimage.IMAGE in env:
        return [env[nodeimage.IMAGE]], exports
    for built in list(Path(harness.__file__).parents)[4:5]:  # OUT/lib/python3.11/site-packages/harness
        if (built / "bin/harness").is_file():
            return [str(built / "bin/harness")], exports
    return [sys.executable, "-I", "-m", "harness.cli"], exports | {name: env[name] for name in PARTS if name in env}


def _told(settings: Settings, env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What the environment says of settings; where installed data sets are, since a job may have another home."""
    for setting in SETTINGS:
        if setting.env and settings.origins[setting.name] == "environment":
            yield setting.env, env[setting.env]
    if not settings["demo"] and settings["data_dir"] is None:
        yield "HARNESS_DATA_DIR", str(data_dir(None, env))


def check_keys(settings: Settings, env: Mapping[str, str]) -> None:
    """A key comes to a job by its file only; UsageError for one in the environment, or a file that isn't private."""
    for role, names in variables(settings).items():
        file = settings[f"{role}_api_key_file"]
        if file is not None:
            key(env, (), file)
        elif _asked(settings, role) and (found := [name for name in names if env.get(name)]):
            raise UsageError(
                f"{found[0]} is set, and a job gets no key from the environment: Slurm would keep and show it. Put it "
                f"into a file that only you can read (mode 0600) on the shared filesystem: --{role}-api-key-file FILE"
            )


def _asked(settings: Settings, role: str) -> bool:
    """Whether an endpoint of this role is asked, and neither a record nor the demo stands in for it."""
    stands_in = settings["demo"] or settings["policy"] is not None
    return chosen(settings, f"{role}_base_url") if stands_in else True
