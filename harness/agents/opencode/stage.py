"""One attempt's stage: OpenCode as the main command of a sandbox, its input read-only, its output two bounded files."""

import math
import shlex
from collections.abc import Mapping
from typing import Final

import attrs

from harness.agents.opencode.config import MODEL, MODEL_KEY, VERSION, config
from harness.agents.opencode.environment import environment
from harness.agents.task import Task
from harness.gateway import Opening
from harness.sandbox.ruleset import ADDRESS, PORT
from harness.sandbox.values import MIB, Limits, Stage
from harness.store.canonical import JSON, dumps

EVENTS: Final = "events.jsonl"
ERRORS: Final = "stderr.log"
# Bytes. OpenCode ends where its output no longer fits, and its events hold each image that the model looked at.
OUTPUTS: Final[Mapping[str, int]] = {EVENTS: 256 * MIB, ERRORS: MIB}

#: Exit status of the main command where it could not lay out the task.
NOT_LAID_OUT: Final = 97

# Seconds between an attempt's own time-out and the moment when the runtime ends its sandbox by itself.
_BACKSTOP_MARGIN: Final = 600


@attrs.frozen
class Settings:
    """What a run says about OpenCode: ``context`` and ``max_output`` in tokens, ``model_id`` as it is on the wire."""

    context: int
    max_output: int
    model_id: str = MODEL_KEY
    limits: Limits = attrs.field(factory=Limits)


def configuration(settings: Settings) -> dict[str, JSON]:
    """OpenCode's configuration in the sandbox: what a run's manifest names."""
    return config(settings.model_id, settings.context, settings.max_output, f"{ADDRESS}:{PORT}")


def described(settings: Settings) -> dict[str, JSON]:
    """All that OpenCode is told beside the task: what a run's manifest says of the agent."""
    return {
        "name": "opencode",
        "version": VERSION,
        "config": configuration(settings),
        "environment": dict(_environment(settings)),
        "command": script(["IMAGE"]),
    }


def opening(task: Task) -> Opening:
    """What the first request must hold, byte for byte: OpenCode passes prompt and images on as they are."""
    return Opening(task.prompt, tuple(image.data for image in task.images))


def stage(task: Task, settings: Settings, labels: Mapping[str, str]) -> Stage:
    """What the sandbox gets; ``labels`` are for people who look at a node."""
    return Stage(
        command=("/bin/sh", "-c", script([image.name for image in task.images])),
        env=_environment(settings),
        files={
            "opencode.json": dumps(configuration(settings)),
            "prompt.txt": task.prompt.encode(),
            **{image.name: image.data for image in task.images},
        },
        outputs=OUTPUTS,
        limits=attrs.evolve(
            settings.limits, backstop=max(settings.limits.backstop, math.ceil(task.timeout) + _BACKSTOP_MARGIN)
        ),
        labels=labels,
    )


def _environment(settings: Settings) -> Mapping[str, str]:
    return environment("/task/in/opencode.json", settings.max_output, math.ceil(settings.limits.cpus))


def script(images: list[str]) -> str:
    """The main command's shell script, for images of these file names.

    The shell stays the sandbox's first process, which nothing inside can kill: it keeps OpenCode's exit status and
    gathers orphans. The prompt comes from a file, as an argument would be quoted and cut; the output goes to a file, as
    OpenCode loses output that a pipe takes slowly.
    """
    names = [shlex.quote(name) for name in images]
    lay_out = [f"cp /task/in/{name} {name} && chmod 644 {name} || exit {NOT_LAID_OUT}" for name in names]
    files = "".join(f" --file {name}" for name in names)
    return "\n".join(
        [
            f"cd /workspace || exit {NOT_LAID_OUT}",
            *lay_out,
            f"opencode run --format json -m {MODEL} --title task{files} \\",
            f"  < /task/in/prompt.txt > /task/out/{EVENTS} 2> /task/out/{ERRORS}",
        ]
    )
