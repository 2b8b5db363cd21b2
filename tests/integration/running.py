"""The command line under test."""

import sys
from pathlib import Path


def command(*arguments: str | Path) -> list[str]:
    """The harness's command line in this very environment."""
    return [sys.executable, "-I", "-m", "harness.cli", *map(str, arguments)]
