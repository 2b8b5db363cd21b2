"""Probes in a child of their own: what one changes it changes for itself, and the filter may kill it."""

import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence

from .telling import Facts, Probe, line, told


def told_apart(probes: Sequence[Probe], facts: Facts) -> Iterator[Mapping[str, str]]:
    """The lines of all. Where everything is refused one child serves them all: making one is the slowest step."""
    left = list(probes)
    while left:
        lines, status = _child(left, facts)
        yield from lines
        left = left[len(lines) :]
        if os.WIFSIGNALED(status):
            yield _killed(left.pop(0), os.WTERMSIG(status))


def _child(probes: Sequence[Probe], facts: Facts) -> tuple[list[Mapping[str, str]], int]:
    """What a child tells until it has done what it should not be able to, and how it ended."""
    source, sink = os.pipe()
    pid = os.fork()
    if pid == 0:
        for probe in probes:
            said = told(probe, facts)
            os.write(sink, json.dumps(said).encode() + b"\n")
            if said["result"] == "done":
                break
        os._exit(0)
    os.close(sink)
    with os.fdopen(source, "rb") as pipe:
        lines = [json.loads(text) for text in pipe]
    return lines, os.waitpid(pid, 0)[1]


def _killed(probe: Probe, number: int) -> Mapping[str, str]:
    if number == signal.SIGSYS:
        return line(probe, "refused", "killed by the filter")
    if number == signal.SIGSEGV and probe.faults:
        return line(probe, "absent", "this kernel has no such entry")
    return line(probe, "failed", f"ended by signal {number}")
