"""One attempt at one task: a sandbox, its gateway, the agent in it, and the record of what took place."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import attrs

from harness import gateway
from harness.agents import opencode
from harness.agents.task import Task
from harness.errors import InfrastructureError
from harness.run import recording
from harness.run.facts import Facts
from harness.run.progress import Running
from harness.run.recording import Played
from harness.sandbox.host import Host
from harness.sandbox.values import Ended, Evidence
from harness.store import clock
from harness.store.references import AttemptRef
from harness.store.runfolder import RunFolder


@attrs.frozen(kw_only=True)
class Means:
    """What every attempt of a run works with.

    ``sources`` says who answers the sandbox of a task and repeat; ``first_call``: seconds within which the agent must
    ask the model.
    """

    policy: gateway.Model
    sources: gateway.Sources
    gateway: gateway.GatewaySettings
    agent: opencode.Settings
    first_call: float


@attrs.frozen
class Attempted:
    """An attempt that was made: its reference, what is needed of its record, its outcome's reason.

    ``counts`` is false for a masked one, and where another process published its own before.
    """

    ref: AttemptRef
    facts: Facts
    reason: str
    counts: bool


async def attempt(host: Host, run: RunFolder, means: Means, task: Task, repeat: int, seen: Running) -> Attempted:
    """Play the task once and keep the record; ``seen`` is kept up to date meanwhile.

    Raises as the store does; what is masked is a result, not an exception.
    """
    labels = {"run": run.manifest.identity[:16], "task": task.id, "repeat": str(repeat)}
    played = await _play(host, means, task, repeat, labels, seen)
    seen.enter("keeping", time.monotonic())
    return await asyncio.to_thread(_keep, run, task, repeat, played)


def _keep(run: RunFolder, task: Task, repeat: int, played: Played) -> Attempted:
    record = recording.write(run.blobs, task, repeat, played)
    ref = run.write_attempt(record)
    counts = not ref.masked and run.publish_done(ref)
    return Attempted(ref, Facts.of(record), played.outcome.reason, counts)


async def _play(host: Host, means: Means, task: Task, repeat: int, labels: Mapping[str, str], seen: Running) -> Played:
    started = clock.now_ns()
    talk = evidence = None
    try:
        async with (
            means.sources(task.id, repeat) as source,
            host.sandbox(opencode.stage(task, means.agent, labels)) as box,
        ):
            try:
                async with (
                    gateway.serve(box.listener, source, opencode.opening(task), means.gateway) as talk,
                    _ending(talk, means.first_call) as stop,
                ):
                    seen.talk = talk
                    seen.enter("playing", time.monotonic())
                    ended = await box.run(task.timeout, stop)
                evidence = await box.evidence()
            except InfrastructureError:
                evidence = await box.last_evidence()
                raise
    except InfrastructureError as error:
        return Played(
            started_ns=started,
            ended_ns=clock.now_ns(),
            outcome=opencode.sandbox_failed(str(error)),
            calls=talk.calls if talk else (),
            refusals=talk.refusals if talk else (),
            evidence=evidence,
        )
    # The sandboxed side may have filled its events with anything: no other sandbox waits while they are read.
    return await asyncio.to_thread(_understood, started, talk, ended, evidence)


def _understood(started: int, talk: gateway.Talk, ended: Ended, evidence: Evidence) -> Played:
    events = opencode.parse(evidence.outputs[opencode.EVENTS])
    chain = talk.chain(events.witness)
    return Played(
        started_ns=started,
        ended_ns=clock.now_ns(),
        outcome=opencode.outcome(ended, talk, evidence, chain),
        calls=talk.calls,
        refusals=talk.refusals,
        chain=chain,
        ended=ended,
        evidence=evidence,
        sessions=events.sessions,
    )


@asynccontextmanager
async def _ending(talk: gateway.Talk, first_call: float) -> AsyncIterator[asyncio.Event]:
    """An event that is set once going on makes no sense: the endpoint is gone, or the agent never asks for it."""
    stop = asyncio.Event()

    async def watch() -> None:
        try:
            async with asyncio.timeout(first_call):
                await talk.first_call.wait()
        except TimeoutError:
            stop.set()
            return
        await talk.failed.wait()
        stop.set()

    watcher = asyncio.create_task(watch())
    try:
        yield stop
    finally:
        watcher.cancel()
