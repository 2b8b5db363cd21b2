"""Whether a machine has room for so many sandboxes at a time: only said, since nobody knows what they will use."""

import os
from pathlib import Path
from typing import Self

import attrs

from harness.sandbox import namespace
from harness.sandbox.subids import SLOT_IDS

MIB = 1 << 20
#: Bytes in the run folder that one rollout in progress may add: its record, images and OpenCode's events.
SPACE_PER_JOB = 512 * MIB
#: Bytes of memory that one rollout of the demo uses: measured 0.5 to 0.65 GB.
ROLLOUT_MEMORY = 700 * MIB


@attrs.frozen(kw_only=True)
class Machine:
    """What there is: processors that this process may use, memory in bytes, sandboxes for which there are ids."""

    cpus: int
    memory: int
    slots: int

    @classmethod
    def here(cls) -> Self:
        """This machine, as seen from inside the namespace."""
        return cls(
            cpus=len(os.sched_getaffinity(0)),
            memory=memory(Path("/proc/meminfo").read_text()),
            slots=namespace.mapped_ids().count // SLOT_IDS,
        )


def notes(machine: Machine, *, jobs: int, memory: int) -> list[str]:
    """What to say before ``jobs`` sandboxes of so many bytes of memory run at a time."""
    said = []
    if jobs > machine.slots:
        said.append(
            f"note: --jobs {jobs}, but the user ids of this account suffice for {machine.slots} sandboxes at a time: "
            "the others wait. Longer ranges in /etc/subuid and /etc/subgid help."
        )
    if jobs > machine.cpus:
        said.append(
            f"note: --jobs {jobs} on {machine.cpus} processors: rollouts get slower, and more of them may run into "
            "their time-out."
        )
    if jobs * memory > machine.memory:
        said.append(
            f"note: --jobs {jobs} with {memory // MIB} MiB each can use more than the {machine.memory // MIB} MiB of "
            "this machine: the kernel may end something. Fewer jobs or a smaller --memory-mib are safe."
        )
    if memory < ROLLOUT_MEMORY:
        said.append(
            f"note: --memory-mib {memory // MIB}: OpenCode alone uses up to {ROLLOUT_MEMORY // MIB} MiB, and a rollout "
            "that runs out of memory counts as 0."
        )
    return said


def memory(meminfo: str) -> int:
    """The bytes of memory that /proc/meminfo tells of."""
    line = next(line for line in meminfo.splitlines() if line.startswith("MemTotal:"))
    return int(line.split()[1]) * 1024
