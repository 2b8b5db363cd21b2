"""The process that reads what others made: one JSON line in for each thing, one out with what came of it.

Each site is the code that a command runs. ``peak`` is the most memory (kB, VmHWM) that the process had since it read
the line, ``seconds`` how long it took.
"""

import fcntl
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from harness.agents import opencode
from harness.agents.opencode.stage import OUTPUTS
from harness.benchmarks.babyvision.data.checking import check_file
from harness.benchmarks.babyvision.data.importing import Expected
from harness.benchmarks.babyvision.data.installed import Place
from harness.errors import HarnessError
from harness.report.words import plain
from harness.sandbox import state
from harness.sandbox.files import Files
from harness.store import leftovers, reading
from harness.store.archive import unpacking
from harness.store.archive.archiving import archive
from harness.store.archive.importing import import_archive
from harness.store.blobs import Blobs
from harness.store.digests import file_digest
from harness.store.recorder import Recorder
from harness.store.runfolder import RunFolder
from harness.store.verify import verify


def take(path: Path) -> Any:
    """``harness import``."""
    target = path.parent / "imported"
    try:
        facts = import_archive(path, target).checked.artifact.facts
    except HarnessError:
        assert not target.exists()
        assert not list(path.parent.glob(".*.import-*"))
        raise
    return facts.rollouts


def check(path: Path) -> Any:
    """``harness verify``."""
    problems = verify(RunFolder.open(path))
    if problems:
        raise HarnessError("\n".join(problems[:20]))
    return len(list(RunFolder.open(path).dones()))


def collect(path: Path) -> Any:
    """``harness gc``."""
    return len(leftovers.find(RunFolder.open(path), time.time() + 1))


def pack(path: Path) -> Any:
    """``harness archive``."""
    return archive(path, path.parent / "made.tar").new


def outputs(path: Path) -> Any:
    """What is left in a sandbox's folder of its outputs: ``path`` is that of the output named out."""
    files = Files(path.parent.parent, {"out": 64 << 20}, {})
    assert files.outputs["out"] == path
    data = files.read()["out"]
    return [len(data), hashlib.sha256(data).hexdigest()]


def events(path: Path) -> Any:
    """The same as the agent's events, up to the blob that the record names."""
    data = Files(path.parent.parent, {opencode.EVENTS: OUTPUTS[opencode.EVENTS]}, {}).read()[opencode.EVENTS]
    found = opencode.parse(data)
    recorder = Recorder(Blobs(path.parent / "blobs"))
    recorder.artifact(opencode.EVENTS, data)
    recorder.pack()
    return [len(found.texts), len(found.tool_calls), found.unreadable]


def data(path: Path) -> Any:
    """``harness data check``; the ZIP is taken for the authors'."""
    digest = file_digest(path) if path.is_file() else Expected().zip_sha256
    return len(check_file(Place.of(path.parent / "data"), path, Expected(digest, None)).data.puzzles)


def remove(path: Path) -> Any:
    """The end of a harness process: its scratch folder goes."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    state.remove(state.State(path, handle))
    return path.exists()


SITES: dict[str, Callable[[Path], Any]] = {
    "import": take,
    "verify": check,
    "gc": collect,
    "archive": pack,
    "outputs": outputs,
    "events": events,
    "data": data,
    "remove": remove,
}


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    Path("/proc/self/clear_refs").write_text("5")  # VmHWM begins anew
    began = time.monotonic()
    try:
        found = {"read": SITES[asked["site"]](Path(os.fsdecode(bytes.fromhex(asked["path"]))))}
    except HarnessError as error:
        found = {"refused": "\n".join(map(plain, str(error).split("\n"))), "status": error.exit_status}
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return {**found, "peak": int(peak.split()[1]), "seconds": time.monotonic() - began}


def main() -> None:
    os.fsync = lambda _: None  # no power is cut here
    if sys.argv[1:] == ["small"]:  # so that what is more than is allowed is made quickly
        reading.ENTRIES_MAX = 1000
        reading.LIMITS = attrs.evolve(reading.LIMITS, entries=3000)
        unpacking.LIMITS = attrs.evolve(unpacking.LIMITS, entries=1000)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
