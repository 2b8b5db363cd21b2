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
from harness.run.recording import Played
from harness.sandbox.host import Host
from harness.store.references import AttemptRef
from harness.store.runfolder import RunFolder


@attrs.frozen(kw_only=True)
class Means:
    """What every attempt of a run works with. ``first_call``: seconds within which the agent must ask the model."""

    policy: gateway.Policy
    gateway: gateway.GatewaySettings
    agent: opencode.Settings
    first_call: float


async def attempt(
    host: Host, run: RunFolder, means: Means, task: Task, repeat: int
) -> tuple[AttemptRef, opencode.Outcome]:
    """Play the task once and keep the record; gives the outcome too.

    Raises as the store does; what is masked is a result, not an exception.
    """
    labels = {"run": run.manifest.identity[:16], "task": task.id, "repeat": str(repeat)}
    played = await _play(host, means, task, labels)
    record = await asyncio.to_thread(recording.write, run.blobs, task, repeat, played)
    ref = await asyncio.to_thread(run.write_attempt, record)
    if not ref.masked:
        await asyncio.to_thread(run.publish_done, ref)
    return ref, played.outcome


async def _play(host: Host, means: Means, task: Task, labels: Mapping[str, str]) -> Played:
    started = time.time_ns()
    talk = None
    try:
        async with host.sandbox(opencode.stage(task, means.agent, labels)) as box:
            async with (
                gateway.serve(box.listener, means.policy, opencode.opening(task), means.gateway) as talk,
                _ending(talk, means.first_call) as stop,
            ):
                ended = await box.run(task.timeout, stop)
            evidence = await box.evidence()
    except InfrastructureError as error:
        outcome = opencode.sandbox_failed(str(error))
        calls = talk.calls if talk else ()
        return Played(started_ns=started, ended_ns=time.time_ns(), outcome=outcome, calls=calls)
    chain = talk.chain(opencode.witness(evidence.outputs[opencode.EVENTS]))
    return Played(
        started_ns=started,
        ended_ns=time.time_ns(),
        outcome=opencode.outcome(ended, talk, evidence, chain),
        calls=talk.calls,
        refusals=talk.refusals,
        chain=chain,
        ended=ended,
        evidence=evidence,
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
