"""Which rollouts a run has: tasks and repeats, chosen by limit, names and shard."""

import hashlib
from collections.abc import Sequence

import attrs

from harness.errors import UnknownNameError


@attrs.frozen(order=True)
class Item:
    """One planned rollout. ``repeat`` counts from 0."""

    task: str
    repeat: int


def plan(
    tasks: Sequence[str],
    *,
    repeats: int = 1,
    only: Sequence[str] | None = None,
    limit: int | None = None,
    shard: tuple[int, int] | None = None,
) -> tuple[Item, ...]:
    """The planned rollouts in the benchmark's order, all tasks of a repeat before the next repeat.

    A shard takes the items whose stable hash falls to it, so that any number of processes deal the same items
    the same way. UnknownNameError for a task that the benchmark hasn't.
    """
    for name in only or ():
        if name not in tasks:
            raise UnknownNameError("task", name, tasks)
    chosen = [task for task in tasks if only is None or task in only][:limit]
    items = [Item(task, repeat) for repeat in range(repeats) for task in chosen]
    if shard is None:
        return tuple(items)
    index, shards = shard
    return tuple(item for item in items if shard_of(item, shards) == index)


def shard_of(item: Item, shards: int) -> int:
    """The shard of an item, from 0; the same on every machine and Python."""
    digest = hashlib.sha256(f"{item.repeat}:{item.task}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % shards
