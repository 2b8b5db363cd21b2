"""What is said where a machine has no room for so many sandboxes."""

import pytest

from harness.run.room import Machine, memory, notes

GIB = 1 << 30
SMALL = Machine(cpus=2, memory=16 * GIB, slots=32)


def test_what_fits_needs_no_word() -> None:
    assert notes(SMALL, jobs=2, memory=8 * GIB) == []


@pytest.mark.parametrize(
    ("machine", "jobs", "size", "said"),
    [
        (Machine(cpus=8, memory=16 * GIB, slots=2), 3, GIB, "suffice for 2 sandboxes"),
        (SMALL, 3, GIB, "--jobs 3 on 2 processors"),
        (Machine(cpus=8, memory=16 * GIB, slots=32), 4, 8 * GIB, "16384 MiB"),
        (SMALL, 1, 600 << 20, "--memory-mib 600: OpenCode alone uses up to 700 MiB"),
    ],
)
def test_what_may_not_fit_is_said(machine: Machine, jobs: int, size: int, said: str) -> None:
    (note,) = notes(machine, jobs=jobs, memory=size)
    assert note.startswith("note: ")
    assert said in note


def test_memory_is_read_in_bytes() -> None:
    assert memory("MemTotal:       16384 kB\nMemFree:  1 kB\n") == 16 << 20
