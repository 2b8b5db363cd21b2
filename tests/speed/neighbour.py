"""How long a well-behaved sandbox waits for its gateway while another one attacks its own, in the same process.

Not collected by default. Run it by name, on a machine that does nothing else:

    nix run .#tests -- tests/speed/neighbour.py -s

Both have the settings that a run has. The endpoint answers at once, so all that is measured is the way through the
gateway and back. Each attack is a process of its own with the lowest priority; quiet and attacked turns alternate, and
the ratio is that of their medians.
"""

import contextlib
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.gateway.hostile.conftest import KEY, Box, Boxes, Server, status_of  # noqa: E402
from tests.gateway.hostile.rows import GOOD, MESSAGES, POST, body, get, lines, post  # noqa: E402
from tests.gateway.hostile.upstream import Upstream  # noqa: E402

TURNS = 3  # of each kind, for each attack
ASKED = 40  # requests in a turn
SETTINGS = {"patience": 30.0, "connection_rate": 20.0}  # the defaults, which tests make shorter

CHUNKS = lines(b"Transfer-Encoding: chunked", data=b"1\r\n{\r\n" * 2_000_000)
VALUES = post(body([*MESSAGES, {"role": "user", "content": [{"type": "text", "text": ","}] * 45_000}]))
TEXT = post(body([*MESSAGES, {"role": "user", "content": "x" * 8_000_000}]))

ATTACKS: dict[str, Callable[[int], None]] = {
    "nothing": lambda port: time.sleep(0.1),
    "an endless loop": lambda port: None,
    "requests in a row": lambda port: once(port, get(b"/x")),
    "idle connections": lambda port: hold(port, b""),
    "half a head": lambda port: hold(port, POST),
    "tiny chunks": lambda port: once(port, CHUNKS),
    "many values": lambda port: once(port, VALUES),
    "much text": lambda port: once(port, TEXT),
    "large bodies": lambda port: once(port, post(b'{"model":"vlm","messages":["' + b"x" * 39_000_000 + b'"]}')),
    "good requests": lambda port: once(port, post(GOOD)),
}


def once(port: int, data: bytes) -> None:
    """One request, as fast as it goes."""
    with socket.create_connection(("127.0.0.1", port)) as sock, contextlib.suppress(OSError):
        sock.sendall(data)
        while sock.recv(1 << 20):
            pass


def hold(port: int, data: bytes) -> None:
    """Connections that are kept open, as many as there may be."""
    held = []
    with contextlib.suppress(OSError):
        for _ in range(900):
            sock = socket.socket()
            sock.settimeout(1)
            sock.connect(("127.0.0.1", port))
            sock.sendall(data)
            held.append(sock)
    time.sleep(10)


def attack(name: str, port: int) -> None:
    """For ever, in four processes."""
    os.nice(19)
    print("begins", flush=True)
    for _ in range(3):
        if os.fork() == 0:
            break
    while True:
        ATTACKS[name](port)


@pytest.mark.timeout(600)
@pytest.mark.integration
@pytest.mark.parametrize("name", ATTACKS)
def test_a_neighbour_of(name: str) -> None:
    server, upstream = Server(), Upstream()
    quiet, beside, seen = [], [], 0
    try:
        boxes = Boxes(server, upstream)
        for _ in range(TURNS):
            good, bad = boxes(**SETTINGS, connection_burst=ASKED), boxes(**SETTINGS)
            quiet += latencies(good)
            time.sleep(ASKED / SETTINGS["connection_rate"])  # its places are free again
            with attacked(name, bad):
                beside += latencies(good)
                state = bad.state()
                seen += state["refused"] + len(state["calls"])
            boxes.end()
        alone, with_it = statistics.median(quiet), statistics.median(beside)
        print(
            f"\n{name:<20} median {alone * 1000:5.1f} -> {with_it * 1000:5.1f} ms, ratio {with_it / alone:4.2f}; "
            f"95th percentile {worst(quiet):5.1f} -> {worst(beside):5.1f} ms; "
            f"{seen} answers to the attack; peak {server.peak / 1e6:.0f} MB"
        )
    finally:
        assert KEY not in server.close()
        upstream.close()


def latencies(box: Box) -> list[float]:
    """Seconds of each of a row of good requests."""
    found = []
    for _ in range(ASKED):
        started = time.perf_counter()
        assert status_of(box.send(post())) == 200
        found.append(time.perf_counter() - started)
        time.sleep(0.02)
    return found


def worst(seconds: list[float]) -> float:
    """The 95th percentile, in milliseconds."""
    return statistics.quantiles(seconds, n=20)[-1] * 1000


@contextlib.contextmanager
def attacked(name: str, box: Box):  # type: ignore[no-untyped-def]
    """While this attack is under way."""
    command = [sys.executable, __file__, name, str(box.port)]
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        time.sleep(0.5)
        yield
    finally:
        os.killpg(process.pid, 9)
        process.wait()


if __name__ == "__main__":
    attack(sys.argv[1], int(sys.argv[2]))
