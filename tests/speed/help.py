"""How long ``harness --help`` takes, from the process's start to its end; beside it Inspect's, where there is one.

Not collected by default. Run it by name, on a machine that does nothing else:

    nix run .#tests -- tests/speed/help.py -s

To compare, put Inspect into an environment of its own and name its command; it is no dependency, and not pinned:

    python3 -m venv /tmp/inspect && /tmp/inspect/bin/pip install inspect-ai
    INSPECT=/tmp/inspect/bin/inspect nix run .#tests -- tests/speed/help.py -s

The two are called in turns. Seconds of wall clock. Goal: a median below 0.2 s.
"""

import os
import statistics
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.integration

ROUNDS = 20


def test_help() -> None:
    calls = {"harness": [sys.executable, "-I", "-m", "harness.cli", "--help"]}
    if os.environ.get("INSPECT"):
        calls["inspect"] = [os.environ["INSPECT"], "--help"]
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(-1, ROUNDS):
        for name, call in calls.items():
            taken = _seconds(call)
            if number >= 0:  # the first round warms the page cache
                times[name].append(taken)
    print()
    for name, taken in times.items():
        print(f"{name:<8} min {min(taken):6.3f}  median {statistics.median(taken):6.3f}  max {max(taken):6.3f}")


def _seconds(call: list[str]) -> float:
    began = time.monotonic()
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began
