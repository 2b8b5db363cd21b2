"""The scripts that sbatch is given. Pure text: the same arguments give the same bytes.

A job gets nothing of the environment it was submitted from (``--export=NONE``): what it needs stands in its script. A
key never does, and one that the user's profile on a node sets is dropped: keys come by their files only.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

from harness.errors import UsageError
from harness.run.slurm.knobs import WORD, Knobs
from harness.run.slurm.shards import ranges
from harness.run.slurm.size import Job

#: Minutes and MiB of the last job, which reads the run's records and grades nothing anew.
LAST_MINUTES: Final = 60
LAST_MEMORY: Final = 2048
#: Where a job finds newuidmap; what bash takes where nobody says anything ends with the folder it is in.
PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
KEYS: Final = ("POLICY_API_KEY", "JUDGE_API_KEY", "OPENAI_API_KEY")


@attrs.frozen(kw_only=True)
class Site:
    """What all scripts of a submission have in common.

    ``harness``: the command; ``exports``: environment of the job, without keys; ``slurm``: the folder of Slurm's
    commands, None where there are none here; ``folder``: where jobs begin, so that relative paths of settings go on
    meaning what they meant.
    """

    knobs: Knobs
    harness: Sequence[str]
    exports: Mapping[str, str]
    slurm: Path | None
    folder: Path
    logs: Path


def array(site: Site, name: str, shards: Sequence[int], job: Job, command: Sequence[str]) -> str:
    """The job array: one task for each of ``shards``, which runs ``command`` of the harness."""
    at_once = f"%{site.knobs.slots}" if site.knobs.slots else ""
    options = [
        f"job-name={name}",
        f"array={ranges(shards)}{at_once}",
        *_one(job.cpus, job.memory),
        f"time={job.minutes}",
        f"signal=B:USR1@{job.warning}",
        "requeue",
        f"output={_word(site.logs / '%A_%a.log')}",
    ]
    return _script("One shard of the run in each task of the array.", site, options, command)


def last(site: Site, name: str, command: Sequence[str]) -> str:
    """The job that sums the run up when the array has ended, however that was."""
    options = [
        f"job-name={name}",
        *_one(1, LAST_MEMORY),
        f"time={min(LAST_MINUTES, site.knobs.max_time)}",
        "requeue",
        f"output={_word(site.logs / '%j.log')}",
    ]
    return _script("Sums the run up.", site, options, command)


def body(site: Site, command: Sequence[str]) -> str:
    """What a job does, without options: for srun as well."""
    return "".join(f"{line}\n" for line in _body(site, command))


def _script(what: str, site: Site, options: Sequence[str], command: Sequence[str]) -> str:
    knobs = site.knobs
    named = {"partition": knobs.partition, "account": knobs.account, "qos": knobs.qos}
    lines = [
        "#!/bin/bash",
        f"# {what} Written by harness slurm submit.",
        *(f"#SBATCH --{option}" for option in options),
        *(f"#SBATCH --{option}={value}" for option, value in named.items() if value),
        f"#SBATCH --chdir={_word(site.folder)}",
        "#SBATCH --open-mode=append",
        "#SBATCH --export=NONE",
        *(f"#SBATCH {option}" for option in knobs.sbatch),
    ]
    return "".join(f"{line}\n" for line in lines) + body(site, command)


def _one(cpus: int, memory: int) -> list[str]:
    return ["nodes=1", "ntasks=1", f"cpus-per-task={cpus}", f"mem={memory}M"]


def _body(site: Site, command: Sequence[str]) -> Iterator[str]:
    yield f"unset {' '.join(KEYS)}"
    yield f"export PATH={PATH}" + (f":{_word(site.slurm)}" if site.slurm else "")
    # A job without the submitter's environment is told only the user's number.
    yield 'export USER="${USER:-$(id -un)}" HOME="${HOME:-$(echo ~)}"'
    if site.knobs.tmp:
        yield f'export HARNESS_STATE_DIR="{site.knobs.tmp}"'  # the knob holds nothing but names and variables
    for name, value in sorted(site.exports.items()):
        yield f"export {name}={shlex.quote(value)}"
    yield from site.knobs.prologue
    # In place of this shell: Slurm's signals go to the job's first process.
    yield f"exec {shlex.join([*site.harness, *command])}"


def _word(path: Path) -> str:
    text = str(path)
    # A % of ours is a pattern of sbatch's; one of the user's would be taken for one too.
    if WORD.fullmatch(text) is None or "%" in text.removesuffix("%A_%a.log").removesuffix("%j.log"):
        raise UsageError(
            f"{text} can't stand in a script of Slurm's: a path of letters, digits and ./+=:,@-_ is taken as it is."
        )
    return text
