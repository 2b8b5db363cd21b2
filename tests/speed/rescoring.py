"""What scoring a run again costs: 388 and 5,000 rollouts of real shape, from the command line.

Not collected by default. Run it by name, on a machine that does nothing else:

    nix run .#tests -- tests/speed/rescoring.py -s

Each row is the whole command in a process of its own: with ``scores/`` there, and with it removed (then every score is
written and flushed). CPU is that of the command and its helpers, memory the most that all of them had together, shared
pages counted once (PSS). ``baseline`` does no more than any re-scorer must, in one process and without any of our code:
start Python, read and parse the record and the judge's reply of each rollout, write a score file without flushing it.
"""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.synthetic import Shape, make

TIMES = 3  # each is run so often; the best wall time counts, and that run's CPU
GOALS = {388: 0.5, 5000: 3.0}  # seconds; said, not asserted: another process is enough to miss them
MEMORY = 150 << 20  # bytes

BASELINE = """
import json, pathlib, sys
root, out = map(pathlib.Path, sys.argv[1:])
for done in root.glob("done/*/*"):
    kept = json.loads(done.read_bytes())
    task, repeat = done.parent.name, done.name
    record = json.loads((root / "attempts" / task / repeat / (kept["attempt"] + ".json")).read_bytes())
    score = {"reward": None, "answer": record["content"]["answer"], "task": task}
    (out / task).mkdir(exist_ok=True)
    (out / task / (repeat + ".json")).write_text(json.dumps(score))
for path in root.glob("judge/*/*.json"):
    json.loads(path.read_bytes())
"""


@pytest.mark.parametrize("rollouts", sorted(GOALS))
def test_rescoring(tmp_path: Path, rollouts: int) -> None:
    run = tmp_path / "R"
    began = time.monotonic()
    make(run, Shape(rollouts=rollouts))
    print(f"\n{rollouts} rollouts, made in {time.monotonic() - began:.0f} s")
    command = [sys.executable, "-I", "-m", "harness.cli", "rescore", str(run)]
    _print("baseline", [sys.executable, "-I", "-c", BASELINE, str(run), str(tmp_path / "out")], tmp_path / "out")
    checked = _print("rescore --check", [*command, "--check"])
    there = _print("rescore", command)
    removed = _print("rescore, scores removed", command, run / "scores")
    again = subprocess.run([*command, "--check"], check=False, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    for what, (wall, _) in {"--check": checked, "scores there": there, "scores removed": removed}.items():
        print(f"goal of {GOALS[rollouts]} s, {what}: {'held' if wall < GOALS[rollouts] else 'missed'} ({wall:.2f} s)")
    assert max(memory for _, memory in (checked, there, removed)) < MEMORY


def _print(name: str, command: list[str], emptied: Path | None = None) -> tuple[float, int]:
    """Wall seconds and peak memory of the best of some runs; the folder ``emptied`` is empty before each.

    What was in it is moved aside: ext4 takes ten times as long to make a file while inodes nearby were just deleted.
    """
    found = []
    for _ in range(TIMES):
        if emptied is not None:
            if emptied.exists():
                emptied.rename(Path(mkdtemp(dir=emptied.parent.parent)) / "was")
            if emptied.name == "out":
                emptied.mkdir()
        os.sync()
        found.append(_measured(command))
    wall, cpu, memory = min(found)
    print(f"{name:<26} wall {wall:6.2f} s   CPU {cpu:6.2f} s   memory {memory / 2**20:6.0f} MiB")
    return wall, memory


def _measured(command: list[str]) -> tuple[float, float, int]:
    before = os.times()
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = [0]
    watcher = threading.Thread(target=_watch, args=(process.pid, peak))
    watcher.start()
    status = process.wait()
    wall = time.monotonic() - began
    watcher.join()
    after = os.times()
    assert status in (0, 3)
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, cpu, peak[0]


def _watch(pid: int, peak: list[int]) -> None:
    while (found := _pss(pid)) is not None:
        peak[0] = max(peak[0], found)
        time.sleep(0.05)


def _pss(pid: int) -> int | None:
    """Bytes of a process and its children; None once it has ended."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        own = _of(pid)
    except OSError:
        return None
    if own == 0:
        return None
    total = own
    for child in children:
        try:
            total += _of(int(child))
        except OSError:
            continue
    return total


def _of(pid: int) -> int:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return next((int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("Pss:")), 0)
