"""For the programs of these tests that run inside the harness's namespace: they print JSON, a value a line."""

import json
import os
import socket
import threading
from typing import Any

import attrs

from harness.errors import HostUnfitError, SandboxError
from harness.sandbox import processes, runtime
from harness.sandbox.host import Host
from harness.sandbox.values import Ended, Evidence, Limits, Stage

__all__ = [
    "SMALL",
    "Ended",
    "Host",
    "HostUnfitError",
    "SandboxError",
    "attrs",
    "host",
    "once",
    "plain",
    "processes",
    "python",
    "runtime",
    "serve",
    "shell",
    "tell",
]

REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"
SMALL = Limits(memory=256 << 20, workdir=16 << 20, tmp=16 << 20, inodes=500)


def host() -> Host:
    return Host(runtime.find(os.environ))


def tell(value: Any) -> None:
    print(json.dumps(value, default=repr), flush=True)


def shell(line: str, limits: Limits = SMALL, **more: Any) -> Stage:
    """A shell line whose output is an output of the sandbox."""
    return Stage(
        command=("/bin/sh", "-c", f"exec > /task/out/out.txt 2>&1\n{line}"),
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/home", "LANG": "C.UTF-8"},
        limits=limits,
        **{"outputs": {"out.txt": 100_000}, **more},
    )


def python(source: str, limits: Limits = SMALL, **more: Any) -> Stage:
    return shell(f"exec python3 - <<'END'\n{source}\nEND", limits, **more)


def serve(listener: socket.socket) -> None:
    """Answers every request on a sandbox's listener, until it is closed."""
    mine = listener.dup()
    mine.setblocking(True)

    def loop() -> None:
        while True:
            connection, _ = mine.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(REPLY)

    threading.Thread(target=loop, daemon=True).start()


def plain(ended: Ended, evidence: Evidence) -> dict[str, Any]:
    outputs = {name: data.decode(errors="replace") for name, data in evidence.outputs.items()}
    return {**attrs.asdict(ended), **attrs.asdict(evidence), "outputs": outputs}


async def once(one: Host, stage: Stage, seconds: float = 30) -> dict[str, Any]:
    """Runs one stage to its end."""
    async with one.sandbox(stage) as box:
        serve(box.listener)
        ended = await box.run(seconds)
        return plain(ended, await box.evidence())
