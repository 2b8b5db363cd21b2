"""``harness doctor`` on each node, as a job of its own: one that is busy or down doesn't hold up the others."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import attrs

from harness.run.slurm import client, script
from harness.run.slurm.knobs import Knobs

AT_ONCE: Final = 32  # jobs that wait or run at a time
MEMORY: Final = 1024  # MiB; doctor makes one sandbox that does nothing
MINUTES: Final = 10
GRACE: Final = 5  # seconds for srun to take back what it asked for
#: States of a node in which Slurm starts nothing there.
AWAY: Final = ("down", "drain", "drng", "fail", "maint", "unk", "no_respond", "power", "future", "inval")


@attrs.frozen
class Node:
    """What doctor found on a node; ``trouble`` is why it could not be asked there."""

    name: str
    checks: tuple[Mapping[str, Any], ...] = ()
    host: Mapping[str, Any] = attrs.field(factory=dict)
    trouble: str = ""

    @property
    def fit(self) -> bool:
        """Whether a run can begin there."""
        return not self.trouble and not any(check["state"] == "failed" for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "node": self.name,
            "fit": self.fit,
            "trouble": self.trouble or None,
            "checks": list(self.checks),
            "host": dict(self.host),
        }


def listed(knobs: Knobs, wanted: str | None, env: Mapping[str, str]) -> list[tuple[str, str]]:
    """Name and state of each node: those that are ``wanted`` (Slurm's own notation), else the partition's, else all."""
    options = [f"--nodes={wanted}"] if wanted else []
    options += [f"--partition={knobs.partition}"] if knobs.partition else []
    said = client.run(["sinfo", "--Node", "--noheader", "--format=%N|%T", *options], env)
    rows = (line.partition("|") for line in said.splitlines())
    return sorted({name.strip(): state.strip() for name, _, state in rows if name.strip()}.items())


def away(state: str) -> bool:
    """Whether Slurm starts nothing on a node in this state."""
    return state.endswith("*") or state.startswith(AWAY)


async def examine(
    nodes: Sequence[tuple[str, str]], site: script.Site, doctor: Sequence[str], wait: int, env: Mapping[str, str]
) -> list[Node]:
    """Run the command line ``doctor`` of the harness on each node, which gets ``wait`` seconds to become free."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(name: str, state: str) -> Node:
        if away(state):
            return Node(name, trouble=f"Slurm says that it is {state}")
        async with places:
            return await _asked(name, command(name, site, doctor, wait), wait, env)

    return list(await asyncio.gather(*(one(name, state) for name, state in nodes)))


def command(name: str, site: script.Site, doctor: Sequence[str], wait: int) -> list[str]:
    """The srun of one node."""
    knobs = site.knobs
    named = {"partition": knobs.partition, "account": knobs.account, "qos": knobs.qos}
    return [
        *("srun", f"--nodelist={name}", "--nodes=1", "--ntasks=1", "--cpus-per-task=1", f"--mem={MEMORY}M"),
        *(f"--time={MINUTES}", f"--immediate={wait}", "--job-name=harness-preflight", "--export=NONE"),
        *(f"--{option}={value}" for option, value in named.items() if value),
        *knobs.sbatch,
        *("/bin/bash", "-c", script.body(site, doctor)),
    ]


async def _asked(name: str, words: Sequence[str], wait: int, env: Mapping[str, str]) -> Node:
    process = await asyncio.create_subprocess_exec(
        *words,
        env=client.environment(env),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(wait + MINUTES * 60):
            out, err = await process.communicate()
    except TimeoutError:
        return Node(name, trouble="srun didn't end")
    finally:
        await _end(process)
    return read(name, out.decode(errors="replace"), err.decode(errors="replace"))


async def _end(process: asyncio.subprocess.Process) -> None:
    """End srun, which takes its job out of the queue at a TERM; killed, it would leave the job there."""
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(GRACE):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


def read(name: str, out: str, err: str) -> Node:
    """What ``doctor --json`` printed on a node; where it printed nothing of the kind, the last thing that was said."""
    with suppress(ValueError, TypeError, KeyError):
        told = json.loads(out.strip().rpartition("\n")[2])  # a site's prologue may print something before
        checks = tuple({key: str(one[key]) for key in ("name", "state", "found", "advice")} for one in told["checks"])
        return Node(name, checks, dict(told["host"]))
    lines = [line for line in err.strip().splitlines() if line.strip()]
    return Node(name, trouble=lines[-1].strip()[-300:] if lines else "it said nothing")
