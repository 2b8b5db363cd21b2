"""What Nix hands a builder: the output's path, and the step's inputs as JSON."""

import json
import os
from pathlib import Path
from typing import Any

OUT = Path(os.environ["out"])  # noqa: SIM112 - Nix names it so
INPUTS: dict[str, Any] = json.loads(os.environ["INPUTS"])


def paths(name: str) -> list[Path]:
    """The input ``name``, a list of store paths."""
    return [Path(path) for path in INPUTS[name]]
