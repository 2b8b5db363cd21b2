"""What is said where a machine has no room for so many sandboxes."""

import pytest

from harness.run.room import Machine, memory, notes

GIB = 1 << 30
SMALL = Machine(cpus=2, memory=16 * GIB, slots=32)


def test_what_fits_needs_no_word() -> None:
    assert notes(SMALL, jobs=1, cpus=2, memory=8 * GIB) == []


@pytest.mark.parametrize(
    ("jobs", "cpus", "size", "said"),
    [(3, 0.1, 1, "2 "), (2, 1.5, 1, "more than the 2 of this machine"), (4, 0.5, 8 * GIB, "16384 MiB")],
)
def test_what_may_not_fit_is_said(jobs: int, cpus: float, size: int, said: str) -> None:
    machine = Machine(cpus=2, memory=16 * GIB, slots=2 if said == "2 " else 32)
    (note,) = notes(machine, jobs=jobs, cpus=cpus, memory=size)
    assert note.startswith("note: ")
    assert said in note


def test_memory_is_read_in_bytes() -> None:
    assert memory("MemTotal:       16384 kB\nMemFree:  1 kB\n") == 16 << 20
