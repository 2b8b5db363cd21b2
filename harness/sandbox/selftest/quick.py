"""The quick part: every probe that fills nothing, as both users of a sandbox, side by side."""

import asyncio
import os
import secrets as randomly
from collections.abc import Iterable, Mapping
from contextlib import suppress

import attrs

from harness.sandbox.host import Host
from harness.sandbox.selftest import judging, staging, standins
from harness.sandbox.selftest.probes.others import NEIGHBOURS
from harness.sandbox.selftest.running import Kind, Ran, made
from harness.sandbox.selftest.secrets import of_environment
from harness.sandbox.selftest.values import Vector

#: How long one of the two waits for the other: on a host whose ids are nearly all in use it may have to be alone.
MEETING_SECONDS = 15.0
ALONE = "no other sandbox could be made meanwhile: every range of ids was in use"


@attrs.frozen
class _Side:
    """One of two sandboxes that are there at the same time; ``mark`` is what the other looks for."""

    mark: str = attrs.field(factory=lambda: f"neighbour-{randomly.token_hex(8)}")
    ready: asyncio.Event = attrs.field(factory=asyncio.Event)
    over: asyncio.Event = attrs.field(factory=asyncio.Event)

    async def met(self) -> bool:
        """Whether it is there in time."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.ready.wait(), MEETING_SECONDS)
        return self.ready.is_set()


async def quick(host: Host, secrets: Iterable[str] = ()) -> tuple[Vector, ...]:
    """Tries what a rollout must not reach or change, from inside of two real sandboxes; about a second.

    Args:
        secrets: values, such as keys, that must be nowhere in a sandbox, beside those of the environment. They don't
            enter it: what a shell in it can read is searched outside.

    Raises:
        SandboxError: a sandbox could not be made, which says nothing about what it would hold.
    """
    name = f"harness-selftest-{randomly.token_hex(8)}"
    user, root = _Side(), _Side()
    with standins.listening(standins.of_the_host(name)) as at_the_host:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = {
                    "user": group.create_task(_one(host, "user", name, user, root)),
                    "root": group.create_task(_one(host, "root", name, root, user)),
                }
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
    found = {who: task.result() for who, task in tasks.items()}
    known = (*of_environment(os.environ), *secrets)
    vectors = _judged({who: ran for who, (ran, _) in found.items()}, at_the_host, known)
    if all(together for _, together in found.values()):
        return vectors
    return tuple(
        attrs.evolve(one, state="not supported here", detail=ALONE) if _by_chance(one) else one for one in vectors
    )


async def _one(host: Host, who: str, name: str, mine: _Side, other: _Side) -> tuple[Ran, bool]:
    """One of the two; its files are there until the other has looked for them."""
    stage = staging.stage(staging.facts(host, neighbour=other.mark, abstract=name, mark=mine.mark), mine.mark)
    async with made(host, stage, Kind(user=who), mine.mark) as ready:
        mine.ready.set()
        together = await other.met()
        try:
            ran = await ready.run()
        finally:
            mine.over.set()
        if together:
            await other.over.wait()
        return ran, together


def _judged(found: Mapping[str, Ran], at_the_host: list[str], secrets: Iterable[str]) -> tuple[Vector, ...]:
    heard = [*at_the_host, *(place for ran in found.values() for place in ran.heard)]
    user = found["user"]
    return (
        *judging.judge({who: ran.report for who, ran in found.items()}, secrets),
        judging.unheard(heard),
        judging.recorded(user.report, user.evidence.destinations),
    )


def _by_chance(vector: Vector) -> bool:
    """Whether it held only because there was nobody."""
    return vector.group == NEIGHBOURS and vector.state == "held"
