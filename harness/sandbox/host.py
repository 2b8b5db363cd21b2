"""All sandboxes of one harness process: the private podman service, the slots of ids, and each sandbox's life."""

import asyncio
import hashlib
import itertools
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from harness.errors import HostUnfitError
from harness.sandbox import base, box, files, limits, namespace, network, reaper, ruleset, spec, state
from harness.sandbox.finishing import to_the_end
from harness.sandbox.runtime import Runtime
from harness.sandbox.service import Service
from harness.sandbox.slots import Slots
from harness.sandbox.values import Stage
from harness.sandbox.watchdog import Watchdog


class Host:
    """To be entered inside `namespace.enter`; makes sandboxes until it is left, then removes all that it made.

    ``swept`` names the dead owners whose folders the start removed.
    """

    def __init__(self, runtime: Runtime, env: Mapping[str, str] | None = None) -> None:
        """``env`` is where HARNESS_STATE_DIR and the rest are looked up; the process's own by default."""
        self._runtime = runtime
        self._env = os.environ if env is None else env
        self._numbers = itertools.count()
        self._names: set[str] = set()
        self.swept: tuple[str, ...] = ()
        #: Whether a cgroup of ours can hold limits here; what held for one sandbox stands in its evidence.
        self.cgroups = limits.delegated()

    async def __aenter__(self) -> Self:
        """
        Raises:
            HostUnfitError: outside the namespace, no packet filter in the kernel, no space.
            SandboxError: podman's service does not start.
        """
        if not namespace.inside():
            raise HostUnfitError("Sandboxes can only be made inside the harness's own namespace (namespace.enter).")
        parent = base.folder(self._env, int(self._env[namespace.HOST_UID]))
        self._slots = Slots(namespace.mapped_ids())
        self.swept = await asyncio.to_thread(reaper.sweep, parent)
        self._state = state.create(parent, self._runtime, self._env)
        self._shared = box.Shared(
            service=Service(self._state, self._runtime, self._env, self._after_restart),
            runtime=self._runtime,
            watchdog=Watchdog(),
            cgroups=self.cgroups,
            seccomp_sha256=hashlib.sha256(self._state.seccomp.read_bytes()).hexdigest(),
        )
        try:
            await self._begin()
        except BaseException:
            await to_the_end(self._close())
            raise
        return self

    @property
    def state(self) -> state.State:
        """Podman's private state of this process, which a sandbox must not reach."""
        return self._state

    async def _begin(self) -> None:
        """Both at once; a kernel that is unfit is the better explanation."""
        steps = (network.check_kernel(self._runtime), self._shared.service.start())
        for result in await asyncio.gather(*steps, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await to_the_end(self._close())

    async def _close(self) -> None:
        self._shared.watchdog.close()
        await self._shared.service.stop()
        await asyncio.to_thread(state.remove, self._state)

    async def _after_restart(self) -> None:
        await reaper.containers(self._shared.service, self._state.name, self._names)

    @asynccontextmanager
    async def sandbox(
        self, stage: Stage, *, altered: spec.Altered = spec.unaltered, rules: str = ruleset.RULES
    ) -> AsyncIterator[box.Box]:
        """A sandbox for ``stage``, ready to run; waits for a free slot. Gone at the end, whatever happens.

        Args:
            altered: what the self-test changes in the create call; no rollout does.
            rules: of the packet filter; others are the self-test's alone.

        Raises:
            SandboxError: it could not be made or removed.
        """
        async with self._slots.take() as slot:
            name = f"{self._state.name}-{next(self._numbers)}"
            folder = self._state.boxes / name
            with base.no_space(folder):
                staged = files.make(folder, slot.first, stage)  # some milliseconds, and not to be cancelled half-way
            gone = AsyncExitStack()
            self._names.add(name)
            try:
                asked = altered(spec.create(stage, slot, self._place(name, staged)))
                yield await box.make(gone, self._shared, asked, stage=stage, slot=slot, files=staged, rules=rules)
            finally:
                await to_the_end(self._remove(name, gone, staged))

    def _place(self, name: str, staged: files.Files) -> spec.Place:
        return spec.Place(
            name=name,
            owner=self._state.name,
            rootfs=self._runtime.root,
            seccomp=self._state.seccomp,
            inputs=staged.inputs,
            outputs=staged.outputs,
            writable=staged.writable,
            cgroups=self.cgroups,
            ceilings=limits.ceilings(),
            oom_score=int(Path("/proc/self/oom_score_adj").read_text()),
        )

    async def _remove(self, name: str, gone: AsyncExitStack, staged: files.Files) -> None:
        """The container goes by its name, so that one whose creation was not answered goes as well."""
        try:
            await gone.aclose()
        finally:
            try:
                await reaper.remove(self._shared.service, name)
            finally:
                self._names.discard(name)
                await asyncio.to_thread(staged.remove)
