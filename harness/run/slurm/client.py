"""Slurm's own commands, by subprocess; no key of ours is ever in their environment."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

from harness.errors import HarnessError, HostUnfitError

#: What they may see of our environment: where Slurm's configuration is, and the site's defaults for its options.
KEPT: Final = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "SLURM_CONF", "TZ")
PATIENCE: Final = 120  # seconds for one command; a busy controller takes a while
#: Variables that win over a script's own lines, beside those that have an option's name.
_OTHER_NAMES: Final = {
    "array": ("ARRAY_INX",),
    "time": ("TIMELIMIT",),
    "requeue": ("NO_REQUEUE",),
    "mem": ("MEM_PER_NODE", "MEM_PER_CPU", "MEM_PER_GPU"),
    "export": ("GET_USER_ENV", "WAIT"),
}
_FIELDS: Final = "%i|%j|%T|%N"


@attrs.frozen
class Queued:
    """A job in Slurm's queue: ``task`` is its number in an array, if it is in one; ``node`` is empty while it waits."""

    id: str
    task: int | None
    name: str
    state: str
    node: str


def find(env: Mapping[str, str], command: str = "sbatch") -> Path | None:
    """The folder of Slurm's commands, None where there are none on PATH."""
    found = shutil.which(command, path=env.get("PATH"))
    return None if found is None else Path(found).absolute().parent


def folder(env: Mapping[str, str], command: str = "sbatch") -> Path:
    """The folder of Slurm's commands; raises HostUnfitError where ``command`` isn't on PATH."""
    found = find(env, command)
    if found is None:
        raise HostUnfitError(
            f"There is no {command} on PATH: this machine is no login node of a Slurm cluster.",
            "Log in to one, or load Slurm's module. submit --print shows the scripts on any machine.",
        )
    return found


def environment(env: Mapping[str, str], script: str = "") -> dict[str, str]:
    """What Slurm's commands get: of the site's defaults for sbatch none that would win over a line of the script."""
    lines = ["export", *re.findall(r"^#SBATCH --([a-z-]+)", script, re.MULTILINE)]
    ours = {other for name in lines for other in (name.upper().replace("-", "_"), *_OTHER_NAMES.get(name, ()))}
    site = {name for name in env if name.startswith("SBATCH_")} - {f"SBATCH_{name}" for name in ours}
    return {name: env[name] for name in (*KEPT, *sorted(site)) if name in env}


def run(arguments: Sequence[str], env: Mapping[str, str], script: str = "") -> str:
    """The output of one of Slurm's commands; HarnessError with its own words where it fails."""
    try:
        done = subprocess.run(
            arguments,
            env=environment(env, script),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except FileNotFoundError:
        raise HostUnfitError(f"There is no {arguments[0]} on PATH.", "Load Slurm's module.") from None
    except subprocess.TimeoutExpired:
        raise HarnessError(f"{arguments[0]} said nothing for {PATIENCE} s. Is slurmctld up? Try again.") from None
    if done.returncode != 0:
        said = done.stderr.strip()[-1000:] or f"it ended with status {done.returncode}"
        raise HarnessError(f"{' '.join(arguments[:2])} failed: {said}")
    return done.stdout


def submit(script: Path, env: Mapping[str, str], *options: str) -> str:
    """Hand a script to sbatch; the job's number."""
    text = script.read_text(encoding="utf-8", errors="replace")
    said = run(["sbatch", "--parsable", "--export=NONE", *options, str(script)], env, text)
    number = said.strip().partition(";")[0]  # NUMBER;CLUSTER where there are several
    if not number.isdecimal():
        raise HarnessError(f"sbatch said {said.strip()[:200]!r} instead of a job's number.")
    return number


def queue(env: Mapping[str, str]) -> list[Queued]:
    """This user's jobs that wait or run, each task of an array by itself."""
    said = run(["squeue", "--noheader", "--array", f"--user={os.getuid()}", f"--format={_FIELDS}"], env)
    return [found for line in said.splitlines() if (found := parse(line)) is not None]


def parse(line: str) -> Queued | None:
    """A line of squeue, as ``_FIELDS`` lays it out; None for what is none."""
    parts = line.strip().split("|")
    match = re.fullmatch(r"(\d+)(?:_(\d+))?", parts[0])
    if match is None or len(parts) != 4:
        return None
    task = None if match[2] is None else int(match[2])
    return Queued(parts[0], task, parts[1], parts[2], parts[3])


def requeue(job: str, env: Mapping[str, str]) -> None:
    """Put a running job back into the queue; Slurm ends it then. Raises HarnessError where the site forbids it."""
    run(["scontrol", "requeue", job], env)
