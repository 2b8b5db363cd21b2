"""Playing what a run still lacks: a few sandboxes at a time, masked attempts again, each attempt kept."""

import asyncio
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs

import harness
from harness import __version__, pins
from harness.agents import opencode
from harness.benchmarks.base import Benchmark
from harness.run import memory, proving
from harness.run.attempt import Attempted, Means, attempt
from harness.run.doctor.facts import provided
from harness.run.facts import Facts
from harness.run.plan import Item
from harness.run.progress import Tally
from harness.run.queue import Queue
from harness.run.settings.resolve import Settings
from harness.sandbox import runtime
from harness.sandbox.host import Host
from harness.store.canonical import JSON
from harness.store.digests import Digest
from harness.store.runfolder import RunFolder

Say = Callable[[str], None]


@attrs.define(kw_only=True)
class Player:
    """Plays items of a run; ``measured`` is told of each rollout that counts, ``made`` counts this call's attempts.

    ``measured`` gets no facts where another process's attempt is the one that counts. ``owner``: see `owners.sign`;
    ``answering``: see `Endpoints.observed`. ``final``: the reasons of masked attempts that are not made again.
    """

    run: RunFolder
    benchmark: Benchmark
    means: Means
    settings: Settings
    queue: Queue
    tally: Tally
    measured: Callable[[Item, Facts | None], None]
    say: Say
    scorer: Digest
    owner: Mapping[str, JSON]
    answering: Mapping[str, JSON]
    made: int = 0
    final: list[str] = attrs.field(factory=list)

    async def play(self) -> None:
        """Play until the queue is empty or closed. Raises as the store and the host do."""
        started = time.time_ns()
        required = self.means.agent.limits if self.settings["require_limits"] else None
        async with Host(runtime.find(os.environ), required=required, say=self.say) as host:
            proof = await proving.prove(host, self.means.policy)
            self.run.write_observed(platform.node() or "unknown", started, self._observed(started, host, proof))
            proof.require()
            memory.begin()
            self.tally.playing_begins(time.monotonic())
            try:
                async with asyncio.TaskGroup() as workers:
                    for _ in range(min(self.settings["jobs"], self.queue.left)):
                        workers.create_task(self._work(host))
            except ExceptionGroup as group:
                # The first one has ended the others; it says what happened.
                raise group.exceptions[0] from None

    async def _work(self, host: Host) -> None:
        while (item := await self.queue.take()) is not None:
            if self.run.done(item.task, item.repeat) is not None:
                # another process's, since this one began: what is measured is not played again
                self.measured(item, None)
                self.queue.release(item)
                continue
            number = len(self.run.attempt_names(item.task, item.repeat)) + 1
            done = await self._attempt(host, item, number)
            await asyncio.to_thread(memory.give_back)
            final = done.facts.kind in opencode.FINAL
            again = done.ref.masked and not final and number < self.settings["max_attempts"]
            self.tally.ends(item, time.monotonic(), over=not again)
            if not done.ref.masked:
                self.measured(item, done.facts if done.counts else None)
            elif not again:
                self.tally.settled(item, measured=False)
            self.queue.release(item, self._pause(done, number) if again else None)

    async def _attempt(self, host: Host, item: Item, number: int) -> Attempted:
        began = time.monotonic()
        seen = self.tally.starts(item, began)
        self.made += 1
        task = await asyncio.to_thread(self.benchmark.task, item.task, self.settings["timeout"])
        done = await attempt(host, self.run, self.means, task, item.repeat, seen)
        why = f": {done.reason}" if done.ref.masked and done.reason else ""
        name = f"task {item.task}, repeat {item.repeat}, attempt {number}"
        self.say(f"{name}: {done.facts.kind} ({time.monotonic() - began:.1f} s){why}")
        if done.facts.kind in opencode.FINAL:
            self.final.append(done.reason)
        return done

    def _pause(self, done: Attempted, number: int) -> float:
        """Seconds before a rollout is tried again, after attempt ``number``.

        An endpoint that is down for a minute must not use up every attempt: the pauses go on growing where those
        between the tries of one call ended.
        """
        if not done.facts.kind.startswith("upstream-"):
            return 0.0
        settings = self.means.gateway
        return settings.backoff.delay(settings.attempts + number - 1)

    def _observed(self, started: int, host: Host, proof: proving.Proof) -> dict[str, JSON]:
        closure, running = pins.closure(), pins.running()
        return {
            "kind": "start",
            "owner": self.owner,
            "manifest": self.run.identity,
            "scorer": self.scorer,
            **self.answering,
            "started_ns": str(started),
            "harness": __version__,
            "package": str(Path(harness.__file__).parent),
            "build": None if running.package is None else str(running.package),
            "closure": [attrs.asdict(part) for part in running.parts],
            "host": provided(os.environ),
            "runtime": str(closure.runtime),
            "rootfs": str(closure.rootfs),
            "pins_sha256": closure.pins_sha256,
            "cgroups": host.cgroups,
            "no_cgroups": host.no_cgroups,
            "swept": list(host.swept),
            "selftest": proof.to_json(),
        }


def missing(run: RunFolder, items: Sequence[Item]) -> list[Item]:
    """The items that nothing counts for yet; a measurement that a killed process kept counts from now on."""
    return [item for item in items if run.done(item.task, item.repeat) is None and not _recovered(run, item)]


def playable(run: RunFolder, items: Sequence[Item], limit: int, say: Say) -> list[Item]:
    """Those of the missing ``items`` that have attempts left."""
    left = [item for item in items if len(run.attempt_names(item.task, item.repeat)) < limit]
    if used := len(items) - len(left):
        say(
            f"{used} of {len(items)} unmeasured rollouts have had their {limit} attempts, all masked: they are "
            f"not tried again. Once the cause is mended: --max-attempts {2 * limit}"
        )
    return left


def _recovered(run: RunFolder, item: Item) -> bool:
    measured = [ref for ref in run.attempts(item.task, item.repeat) if not ref.masked]
    return bool(measured) and (run.publish_done(measured[0]) or run.done(item.task, item.repeat) is not None)
