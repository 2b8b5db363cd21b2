"""All sandboxes of one harness process: the private podman service, the slots of ids, and each sandbox's life."""

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import attrs

from harness.errors import HostUnfitError
from harness.sandbox import base, box, cgroups, files, hostids, limits, namespace, network, reaper, ruleset, spec, state
from harness.sandbox.finishing import to_the_end
from harness.sandbox.runtime import Runtime
from harness.sandbox.service import Service
from harness.sandbox.slots import Slots
from harness.sandbox.values import Limits, Stage
from harness.sandbox.watchdog import Watchdog


class Host:
    """To be entered inside `namespace.enter`; makes sandboxes until it is left, then removes all that it made.

    ``swept`` names the dead owners whose folders the start removed.
    """

    def __init__(
        self,
        runtime: Runtime,
        env: Mapping[str, str] | None = None,
        *,
        required: Limits | None = None,
        say: Callable[[str], object] = lambda _: None,
    ) -> None:
        """
        Args:
            env: where HARNESS_STATE_DIR and the rest are looked up; the process's own by default.
            required: limits that this host must enforce, tried at the start; each sandbox's own are then looked at.
            say: is told what keeps this process waiting.
        """
        self._runtime = runtime
        self._env = os.environ if env is None else env
        self._numbers = itertools.count()
        self._names: set[str] = set()
        self.swept: tuple[str, ...] = ()
        self._required = required
        self._say = say
        self._tree = cgroups.found(self._env)
        #: Whether sandboxes get cgroups here, and why not; what held for one sandbox stands in its evidence.
        self.cgroups = not isinstance(self._tree, str)
        self.no_cgroups = self._tree if isinstance(self._tree, str) else None

    async def __aenter__(self) -> Self:
        """
        Raises:
            HostUnfitError: outside the namespace, no packet filter in the kernel, no space, a required limit that
                can't be enforced.
            SandboxError: podman's service does not start.
        """
        if not namespace.inside():
            raise HostUnfitError("Sandboxes can only be made inside the harness's own namespace (namespace.enter).")
        if self._required is not None:
            self._try_limits(self._required)
        parent = base.folder(self._env, int(self._env[namespace.HOST_UID]))
        self._slots = Slots(namespace.mapped_ids(), hostids.HostIds.found(self._env), say=self._say)
        self.swept = await asyncio.to_thread(reaper.sweep, parent)
        self._state = state.create(parent, self._runtime, self._env)
        self._shared = box.Shared(
            service=Service(self._state, self._runtime, self._env, self._after_restart),
            runtime=self._runtime,
            watchdog=Watchdog(),
            cgroups=self._tree,
            require_limits=self._required is not None,
            seccomp=self._state.seccomp.read_bytes(),
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

    def _try_limits(self, wanted: Limits) -> None:
        if isinstance(self._tree, str):
            limits.require((), self._tree)
        else:
            limits.require(self._tree.holds(wanted), f"so it was read back in {self._tree.folder}")

    async def _begin(self) -> None:
        """Both at once; a kernel that is unfit is the better explanation."""

        async def rules() -> None:
            self._shared = attrs.evolve(self._shared, rules=await network.check_kernel(self._runtime))

        for result in await asyncio.gather(rules(), self._shared.service.start(), return_exceptions=True):
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
            NoSpaceError: it failed, and the disk is full.
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
                with base.full_first(self._state.folder):
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
            ceilings=limits.ceilings(),
            oom_score=int(Path("/proc/self/oom_score_adj").read_text()),
        )

    async def _remove(self, name: str, gone: AsyncExitStack, staged: files.Files) -> None:
        """The container goes by its name, so that one whose creation was not answered goes as well.

        One with a process that nothing ends stays as it is: that error must not be hidden by what podman says of it.
        """
        try:
            await gone.aclose()
        except HostUnfitError:
            await asyncio.to_thread(staged.remove)
            raise
        except BaseException:
            await self._remove_container(name, staged)
            raise
        await self._remove_container(name, staged)

    async def _remove_container(self, name: str, staged: files.Files) -> None:
        try:
            await reaper.remove(self._shared.service, name)
        finally:
            self._names.discard(name)
            await asyncio.to_thread(staged.remove)
