"""One sandbox under way."""

import asyncio
import socket
import time
from collections.abc import Collection
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any, Literal

import attrs

from harness.errors import SandboxError
from harness.sandbox import limits, ruleset
from harness.sandbox.cgroups import Group, Tree
from harness.sandbox.files import Files
from harness.sandbox.lifeline import Lifeline
from harness.sandbox.network import Network
from harness.sandbox.runtime import Runtime
from harness.sandbox.service import Service
from harness.sandbox.slots import Slot
from harness.sandbox.values import Ended, Evidence, Proof, Stage
from harness.sandbox.watchdog import Watchdog, Watched

#: Between two looks for the exit status that conmon writes down, and until we give up.
STATUS_INTERVAL, STATUS_SECONDS = 0.02, 30.0

Reason = Literal["exited", "timed-out", "out-of-memory", "stopped"]


@attrs.frozen
class Shared:
    """What all sandboxes of a host use together."""

    service: Service
    runtime: Runtime
    watchdog: Watchdog
    #: Where cgroups for sandboxes can be made, or why there is no such place.
    cgroups: Tree | str
    #: Whether a sandbox of which not every limit is enforced is refused.
    require_limits: bool
    #: The system call filter.
    seccomp: bytes
    #: The packet filter's rules as this kernel holds them, once that is known.
    rules: str = ""


@attrs.frozen
class Bounds:
    """The sandbox's cgroup, where there is one, and the names of the limits that it was seen to hold."""

    group: Group | None
    in_force: frozenset[str]


@attrs.define(eq=False)
class Box:
    """A sandbox whose namespaces are there and whose command has not started; made by `make`.

    ``listener`` is a listening socket inside the sandbox's network namespace, the one thing that it can reach.
    """

    name: str
    listener: socket.socket
    _shared: Shared
    _stage: Stage
    _files: Files
    _lifeline: Lifeline
    _network: Network
    _watched: Watched
    _rules: str
    _bounds: Bounds
    _started: bool = False

    async def run(self, timeout: float, stop: asyncio.Event | None = None) -> Ended:  # noqa: ASYNC109
        """Starts the command and returns when nothing of the sandbox lives any more; once only.

        Args:
            timeout: seconds after which everything in it is killed.
            stop: set from elsewhere to have it killed at once.

        Raises:
            SandboxError: it could not be started.
            HostUnfitError: it could not be killed, so nothing may be read, graded or started any more.
        """
        if self._started or timeout >= self._stage.limits.backstop:
            raise ValueError("a sandbox runs once, for less than its backstop")
        self._started = True
        began = time.monotonic()
        await self._shared.service.call("POST", f"/containers/{self.name}/start")
        how = await self._until(timeout, stop or asyncio.Event())
        await self._lifeline.kill()  # where it ended by itself this is only the proof
        group = self._bounds.group
        if group is not None:
            await group.emptied()
        seconds = time.monotonic() - began
        if how != "exited":
            return Ended(None, how, seconds)
        if group is not None and group.ran_out_of_memory():
            return Ended(None, "out-of-memory", seconds)
        state = await final_state(self._shared.service, self.name)
        return Ended(int(state["ExitCode"]), "exited", seconds)

    async def _until(self, timeout: float, stop: asyncio.Event) -> Reason:  # noqa: ASYNC109
        reasons: dict[asyncio.Future[Any], Reason] = {
            asyncio.create_task(self._lifeline.ended()): "exited",
            asyncio.ensure_future(asyncio.shield(self._watched.over)): "out-of-memory",
            asyncio.create_task(stop.wait()): "stopped",
        }
        try:
            done, _ = await asyncio.wait(reasons, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in reasons:
                task.cancel()
        for task in done:
            task.result()  # a watchdog that can't look is an error, not an end
        return next((reason for task, reason in reasons.items() if task in done), "timed-out")

    @property
    def writable(self) -> Collection[Path]:
        """The folders that it may write to, as the harness sees them."""
        return self._files.writable.values()

    @property
    def network_namespace(self) -> int:
        """A descriptor of it, open as long as the sandbox is there."""
        return self._network.descriptor

    async def evidence(self) -> Evidence:
        """What the outside saw, after `run`.

        Raises:
            SandboxError: the packet filter or an output can't be read.
        """
        if not self._lifeline.dead:
            raise SandboxError("Evidence of a sandbox is read when nothing in it lives any more")
        usual = self._rules == ruleset.RULES
        counted = await self._network.counted(self._shared.rules if usual else None)
        return Evidence(
            ruleset=self._rules.encode(),
            seccomp=self._shared.seccomp,
            allowed=counted.allowed,
            denied=counted.denied,
            destinations=counted.destinations,
            truncated=counted.truncated,
            counters=counted.counters,
            limits=limits.held(self._bounds.in_force),
            peak_rss=self._watched.peak,
            dead=self._proofs(),
            full=self._files.full(),
            outputs=await asyncio.to_thread(self._files.read),
        )

    async def last_evidence(self) -> Evidence | None:
        """What can still be seen where `run` or `evidence` failed: ends everything in it first; None where nothing can.

        Raises:
            HostUnfitError: as `run`.
        """
        await self._lifeline.kill()
        try:
            return await self.evidence()
        except SandboxError:
            return None

    def _proofs(self) -> tuple[Proof, ...]:
        """`run` returned, so each of them was seen."""
        return ("init", "ids") if self._bounds.group is None else ("init", "ids", "cgroup")


async def final_state(service: Service, name: str) -> dict[str, Any]:
    """What podman says of a container whose first process has ended.

    Raises:
        SandboxError: it knows of no end in `STATUS_SECONDS`.
    """
    deadline = time.monotonic() + STATUS_SECONDS
    while True:
        # 500: until it has heard of the end, podman reads files of the process, which is gone.
        said = await service.call("GET", f"/containers/{name}/json", accept=(500,))
        state: dict[str, Any] = said.get("State") or {}
        if state.get("Status") in ("exited", "stopped"):
            return state
        if time.monotonic() >= deadline:
            why = f": {said['message']}" if "message" in said else ""
            raise SandboxError(f"The exit status of {name} did not appear in {STATUS_SECONDS:.0f} s{why}")
        await asyncio.sleep(STATUS_INTERVAL)


async def make(
    gone: AsyncExitStack,
    shared: Shared,
    spec: dict[str, Any],
    *,
    stage: Stage,
    slot: Slot,
    files: Files,
    rules: str = ruleset.RULES,
) -> Box:
    """Creates the container up to its namespaces, and the network in them; nothing of the workload runs.

    Args:
        gone: closing it ends all processes of the sandbox and lets go of what is held open. The container itself is
            to be removed by its name, also where this fails: nobody knows then how far podman came.

    Raises:
        SandboxError: with what podman, runc, ip or nft said.
        HostUnfitError: limits are required that the sandbox's cgroup doesn't hold.
    """
    name, service = spec["name"], shared.service
    group = None if isinstance(shared.cgroups, str) else shared.cgroups.make(name, stage.limits)
    if group is not None:
        gone.push_async_callback(group.remove)
    await service.call("POST", "/containers/create", body=spec)
    await service.call("POST", f"/containers/{name}/init")
    pid = (await service.call("GET", f"/containers/{name}/json"))["State"]["Pid"]
    lifeline = Lifeline(pid, slot)
    gone.callback(lifeline.close)
    gone.push_async_callback(lifeline.kill)
    network = gone.enter_context(closing(Network(shared.runtime, pid)))
    listener = gone.enter_context(await network.listener(rules))
    in_force = group.in_force(stage.limits) if group is not None and group.take(pid) else frozenset[str]()
    if shared.require_limits:
        limits.require(in_force, f"so it was read back of the cgroup of {name}")
    limit = None if "memory" in in_force else stage.limits.memory
    watched = gone.enter_context(shared.watchdog.watch(slot, limit))
    return Box(name, listener, shared, stage, files, lifeline, network, watched, rules, Bounds(group, in_force))
