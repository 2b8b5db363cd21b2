"""The private podman service of one harness process, and calling it."""

import asyncio
import json
import subprocess
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from harness.errors import SandboxError
from harness.sandbox import state as states
from harness.sandbox.finishing import to_the_end
from harness.sandbox.runtime import Runtime
from harness.sandbox.state import State

if TYPE_CHECKING:
    from podman.api import APIClient

#: The version of podman's own API that the pinned podman speaks.
API_VERSION = "4.3.1"
START_SECONDS, START_INTERVAL = 30.0, 0.01
STOP_SECONDS = 5.0
#: For one call; the longest, a removal, waits for the kernel to end the sandbox's processes.
CALL_SECONDS = 120.0
LOG_TAIL = 2000
Revived = Callable[[], Awaitable[None]]


def _client(state: State) -> "APIClient":
    # Not PodmanClient: that one reads the user's own files of connections, which may not even be readable.
    from podman.api import APIClient

    return APIClient(base_url=f"unix://{state.socket}", version=API_VERSION, timeout=CALL_SECONDS)


class Service:
    """``podman system service`` over ``state``. A service that died is started again, once.

    Calls are podman-py's session's, which is synchronous, so each runs in a thread.
    """

    def __init__(self, state: State, runtime: Runtime, env: Mapping[str, str], revived: Revived) -> None:
        """``revived`` is awaited when a new service has taken over."""
        self._state = state
        # Else it takes the host's list, by which some distributions give every container the host's secrets.
        own = f"--default-mounts-file={state.mounts}"
        self._command = [runtime.program("podman"), "system", "service", own, "--time=0", f"unix://{state.socket}"]
        self._env = states.environment(state, env)
        self._log = state.folder / "service.log"
        self._revived = revived
        self._process: asyncio.subprocess.Process | None = None
        self._client: APIClient | None = None
        self._restarts_left = 1
        self._reviving = asyncio.Lock()

    async def start(self) -> None:
        """Returns when the service answers.

        Raises:
            SandboxError: it ended or did not answer in time; the text holds the end of its log.
        """
        self._state.socket.unlink(missing_ok=True)
        self._disconnect()
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, env=self._env, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self._client = await asyncio.to_thread(_client, self._state)  # loads while podman starts
        try:
            async with asyncio.timeout(START_SECONDS):
                # The socket's name appears before anybody listens on it.
                while not (self._state.socket.exists() and await self._answers()):
                    if self._process.returncode is not None:
                        raise SandboxError(f"podman's service ended with {self._process.returncode}: {self._said()}")
                    await asyncio.sleep(START_INTERVAL)
        except TimeoutError as error:
            raise SandboxError(f"podman's service did not answer in {START_SECONDS:.0f} s: {self._said()}") from error

    def _disconnect(self) -> None:
        if self._client is not None:
            self._client.close()

    def _said(self) -> str:
        return self._log.read_text(errors="replace")[-LOG_TAIL:].strip() or "it said nothing"

    async def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: object = None,
        accept: tuple[int, ...] = (),
    ) -> Any:
        """One call of podman's own API; the answer's JSON, or its text.

        Args:
            path: below ``/libpod``.
            accept: statuses of failure that are no error here.

        Raises:
            SandboxError: podman refused, or its service is gone. A call that only reads or removes is sent again to
                a new service; of any other nobody knows whether it was carried out.
        """
        from requests import RequestException

        try:
            return await self._send(method, path, params or {}, body, accept)
        except RequestException as error:
            await self._revive(error)
            if method in ("GET", "DELETE"):
                return await self._send(method, path, params or {}, body, accept)
            raise SandboxError(f"podman's service died during {method} {path}") from error

    async def _send(
        self, method: str, path: str, params: Mapping[str, str], body: object, accept: tuple[int, ...]
    ) -> Any:
        assert self._client is not None
        session = self._client
        options: dict[str, Any] = {"params": dict(params)}
        if body is not None:
            options |= {"data": json.dumps(body), "headers": {"Content-Type": "application/json"}}
        send = {"GET": session.get, "POST": session.post, "DELETE": session.delete}[method]
        answer = await to_the_end(asyncio.to_thread(send, path, **options))
        if answer.status_code >= 400 and answer.status_code not in accept:
            raise SandboxError(f"podman refused {method} {path}: {answer.status_code} {answer.text.strip()}")
        try:
            return json.loads(answer.text)
        except ValueError:
            return answer.text

    async def _revive(self, cause: Exception) -> None:
        """Starts a new service if this one is dead and it is the first time."""
        async with self._reviving:
            process = self._process
            assert process is not None
            try:
                await asyncio.wait_for(process.wait(), 1)
            except TimeoutError:
                if await self._answers():
                    return
                process.kill()
                await process.wait()
            if self._restarts_left == 0:
                raise SandboxError(f"podman's service died a second time: {self._said()}") from cause
            self._restarts_left -= 1
            await self.start()
        await self._revived()

    async def _answers(self) -> bool:
        from requests import RequestException

        try:
            await self._send("GET", "/_ping", {}, None, ())
        except (RequestException, SandboxError):
            return False
        return True

    async def stop(self) -> None:
        """Ends the service; containers are to be removed before."""
        self._disconnect()
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()
