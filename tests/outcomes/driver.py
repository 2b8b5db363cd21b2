"""Runs the harness's command line with agents that are broken each in its own way, by task. Not a test itself.

The harness itself has no way to break its agent: here the stage that it makes is changed before it is used.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping

import attrs

from harness.agents import opencode
from harness.agents.task import Task
from harness.cli.main import main
from harness.sandbox import namespace
from harness.sandbox.values import Stage

CONFIG = "opencode.json"


def runs(line: str) -> Callable[[Stage], Stage]:
    """Another main command."""
    return lambda stage: attrs.evolve(stage, command=("/bin/sh", "-c", line))


def blind(stage: Stage) -> Stage:
    """The model is said to see no images."""
    config = json.loads(stage.files[CONFIG])
    (model,) = config["provider"]["local"]["models"].values()
    model["modalities"]["input"] = ["text"]
    model["attachment"] = False
    return attrs.evolve(stage, files={**stage.files, CONFIG: json.dumps(config).encode()})


def shrinking(stage: Stage) -> Stage:
    """Images are made smaller before they are sent."""
    config = json.loads(stage.files[CONFIG])
    config["attachment"] = {"image": {"auto_resize": True, "max_width": 64, "max_height": 64}}
    return attrs.evolve(stage, files={**stage.files, CONFIG: json.dumps(config).encode()})


BROKEN = {"1": runs("true"), "2": runs("exit 3"), "3": runs("sleep 1000"), "4": blind, "5": shrinking}
whole = opencode.stage


def stage(task: Task, settings: opencode.Settings, labels: Mapping[str, str]) -> Stage:
    """In the place of `harness.agents.opencode.stage`."""
    return BROKEN[task.id](whole(task, settings, labels))


if __name__ == "__main__":
    if not namespace.inside():
        sys.exit(namespace.enter([sys.executable, "-I", "-B", *sys.argv], dict(os.environ)))
    opencode.stage = stage
    main()
