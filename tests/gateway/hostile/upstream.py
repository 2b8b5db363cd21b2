"""A model's endpoint that sends any bytes at all, in threads: what it does depends on the first part of the path."""

import contextlib
import re
import socket
import socketserver
import threading
from collections.abc import Callable
from typing import Any

from tests.gateway.scripted import stream

Act = Callable[[socket.socket], None]


def response(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    """A whole response."""
    lines = (f"HTTP/1.1 {status}", "Content-Type: text/event-stream", f"Content-Length: {len(body)}", *headers)
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


GOOD = response(stream("C"))


def sends(data: bytes) -> Act:
    """Sends bytes and closes."""
    return lambda sock: sock.sendall(data)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


class Upstream:
    """Listens on loopback until `close`; ``asked`` has each request's head and body by the path's first part."""

    def __init__(self) -> None:
        self.acts: dict[str, Act] = {}
        self.asked: dict[str, list[tuple[bytes, bytes]]] = {}
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with contextlib.suppress(OSError):
                    outer.answer(self.request)

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def url(self, name: str, act: Act) -> str:
        """The base URL of an endpoint that does this."""
        self.acts[name] = act
        self.asked[name] = []
        return f"http://127.0.0.1:{self._server.server_address[1]}/{name}"

    def answer(self, sock: Any) -> None:
        """Reads one request and does what its path says."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += _some(sock)
        head, _, body = data.partition(b"\r\n\r\n")
        size = int(re.search(rb"(?i)content-length: (\d+)", head)[1])  # type: ignore[index]
        pieces = [body]
        while sum(map(len, pieces)) < size:
            pieces.append(_some(sock))
        name = head.split(b"/")[1].decode()
        self.asked[name].append((head, b"".join(pieces)))
        self.acts[name](sock)

    def close(self) -> None:
        """Ends it."""
        self._server.shutdown()
        self._server.server_close()


def _some(sock: Any) -> bytes:
    if not (data := sock.recv(1 << 20)):
        raise ConnectionError("the gateway hung up")
    return bytes(data)
