"""Hostile sandboxes and hostile endpoints against gateways that run in a process of their own."""

import contextlib
import itertools
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.gateway.hostile.upstream import GOOD, Act, Upstream, sends

KEY = "sk-marked/secret+0123456789"
MEMORY_MAX = 300_000_000  # bytes; the process of the gateways, whatever was sent to it so far
PATIENCE = 1.5  # seconds; short, so that the tests are
_NUMBERS = itertools.count()
_ANSWERS = sends(GOOD)


class Server:
    """The process of the gateways."""

    def __init__(self) -> None:
        root = Path(__file__).parents[3]
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("serving.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path])},
        )

    def tell(self, **told: Any) -> dict[str, Any]:
        """Has it do something."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    @property
    def peak(self) -> int:
        """Bytes of memory that it had at most."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024  # type: ignore[index]

    @property
    def descriptors(self) -> int:
        """How many files and sockets it has open."""
        return len(list(Path(f"/proc/{self._process.pid}/fd").iterdir()))

    def close(self) -> str:
        """Ends it; gives what it wrote to stderr."""
        return self._process.communicate(timeout=60)[1]


@attrs.define
class Box:
    """One sandbox: its gateway, and the endpoint behind it."""

    server: Server
    upstream: Upstream
    name: str
    port: int

    def connect(self, timeout: float = 60) -> socket.socket:
        """A connection to the gateway."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def send(self, data: bytes) -> bytes:
        """Sends bytes over a connection of their own, and reads to its end."""
        with self.connect() as sock:
            with contextlib.suppress(OSError):  # refused before all was sent: the answer says why
                sock.sendall(data)
            return read_all(sock)

    @property
    def asked(self) -> list[tuple[bytes, bytes]]:
        """What the endpoint was asked."""
        return self.upstream.asked[self.name]

    def state(self) -> dict[str, Any]:
        """What came of the calls so far."""
        return self.server.tell(do="state", port=self.port)

    def everything(self) -> str:
        """All that a record of it is made of."""
        return str(self.server.tell(do="everything", port=self.port)["all"])


def read_all(sock: socket.socket) -> bytes:
    """All that comes until the other side closes, or resets."""
    got = bytearray()
    try:
        while data := sock.recv(1 << 20):
            got += data
    except ConnectionError:
        pass
    return bytes(got)


def status_of(got: bytes) -> int:
    """The status of the first response; 0 where there is none."""
    match = re.match(rb"HTTP/\d\.\d (\d{3}) ", got)
    return int(match[1]) if match else 0


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One process for the whole suite: its memory is the sum of what all attacks left behind."""
    made = Server()
    yield made
    assert made.close() == ""


@pytest.fixture(scope="session")
def upstream() -> Iterator[Upstream]:
    made = Upstream()
    yield made
    made.close()


class Boxes:
    """Makes sandboxes and ends them."""

    def __init__(self, server: Server, upstream: Upstream) -> None:
        self._server = server
        self._upstream = upstream
        self._made: list[Box] = []

    def __call__(self, act: Act = _ANSWERS, **settings: Any) -> Box:
        name = f"box{next(_NUMBERS)}"
        url = self._upstream.url(name, act)
        given = {"patience": PATIENCE, "connection_rate": 1000.0, **settings}
        port = self._server.tell(do="open", url=url, key=KEY, settings=given)["port"]
        self._made.append(Box(self._server, self._upstream, name, port))
        return self._made[-1]

    def end(self) -> None:
        while self._made:
            self._server.tell(do="close", port=self._made.pop().port)


@pytest.fixture
def boxes(server: Server, upstream: Upstream) -> Iterator[Boxes]:
    """Sandboxes, whose endpoints answer C unless they are told to do something else."""
    made = Boxes(server, upstream)
    yield made
    made.end()
    assert server.peak < MEMORY_MAX, f"the gateways took {server.peak} bytes"
