"""Clients that take their time, and very many of them: nobody else notices, and nothing is held for long."""

import contextlib
import resource
import socket
import struct
import time
from collections.abc import Iterator

import pytest

from tests.gateway.hostile.conftest import PATIENCE, Box, Boxes, Server, read_all, status_of
from tests.gateway.hostile.rows import LENGTH, POST, lines, post
from tests.gateway.hostile.upstream import response, sends
from tests.gateway.scripted import stream

MANY = 2000
LARGE = response(stream("x" * 8_000_000))


@pytest.fixture
def descriptors() -> Iterator[None]:
    """As many descriptors as this process may have, for its own ends of the connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def served(box: Box) -> bool:
    return status_of(box.send(post())) == 200


@pytest.mark.parametrize("sent", [b"", b"P", POST, POST + LENGTH + b"\r\nX: "])
def test_half_a_head_is_not_waited_for(boxes: Boxes, sent: bytes) -> None:
    box = boxes()
    with box.connect() as sock:
        sock.sendall(sent)
        assert read_all(sock) == b""
    assert served(box)


def test_a_head_that_drips_is_not_waited_for(boxes: Boxes) -> None:
    box = boxes()
    started = time.monotonic()
    with box.connect() as sock, contextlib.suppress(ConnectionError):
        while True:
            sock.sendall(b"x")
            time.sleep(0.1)
            assert time.monotonic() - started < 60
    assert box.state()["calls"] == []
    assert served(box)


def test_a_body_that_drips_is_refused(boxes: Boxes) -> None:
    box = boxes()
    with box.connect() as sock:
        sock.sendall(lines(b"Content-Length: 1000", data=b""))
        with contextlib.suppress(ConnectionError):
            for _ in range(40):
                sock.sendall(b" ")
                time.sleep(0.1)
        assert status_of(read_all(sock)) == 400
    assert "did not come" in box.state()["refusals"][0][1]
    assert box.asked == []


def test_who_does_not_take_its_answer_is_cut_off(boxes: Boxes, server: Server) -> None:
    box, before = boxes(sends(LARGE), max_connections=2), server.descriptors
    with box.connect() as one, box.connect() as two:
        for sock in (one, two):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.sendall(post())
        # Both places are taken until the gateway gives up on them: a third one is then served.
        assert box.send(post()).endswith(stream("x" * 8_000_000))
    time.sleep(PATIENCE)
    assert server.descriptors <= before + 1
    assert box.state()["calls"] == ["answered"] * 3


def test_thousands_of_idle_connections_take_no_more_than_their_places(
    boxes: Boxes, server: Server, descriptors: None
) -> None:
    box, neighbour = boxes(patience=60.0), boxes()
    before = server.descriptors
    held = []
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            for _ in range(MANY):
                sock = stack.enter_context(socket.socket())
                sock.settimeout(5)
                sock.connect(("127.0.0.1", box.port))
                held.append(sock)
        assert len(held) > 200
        assert served(neighbour)
        assert server.descriptors <= before + 16 + 4
    # All are gone: the sandbox's own next request is served.
    assert served(box)


def test_connections_that_are_reset_at_once_leave_nothing(boxes: Boxes, server: Server) -> None:
    box, neighbour = boxes(), boxes()
    before = server.descriptors
    for number in range(1000):
        sock = box.connect()
        if number % 2:
            sock.sendall(POST + LENGTH)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()
    assert served(neighbour)
    assert served(box)
    assert server.descriptors <= before + 16 + 4
    assert len(box.asked) == 1


def test_who_shuts_one_side_is_not_passed_on(boxes: Boxes) -> None:
    box = boxes()
    with box.connect() as sock:
        sock.sendall(lines(b"Content-Length: 1000", data=b"{"))
        sock.shutdown(socket.SHUT_WR)
        assert status_of(read_all(sock)) in (0, 400)
    assert box.asked == []
    assert served(box)


def test_connections_are_accepted_at_a_pace(boxes: Boxes) -> None:
    box = boxes(connection_rate=5.0, connection_burst=5)
    started = time.monotonic()
    for _ in range(15):
        box.send(b"x\r\n\r\n")
    assert time.monotonic() - started >= 1.7  # 5 at once, then 5 a second


def test_requests_under_way_are_bounded_before_they_are_read(boxes: Boxes) -> None:
    box = boxes(max_waiting=10_000, patience=20.0)
    with box.connect() as sock:
        sock.sendall(lines(b"Content-Length: 9900", data=b"{"))
        while not (found := box.state())["refused"] and not found["calls"]:
            box.send(post())
    state = box.state()
    assert state["refusals"][0][0] == 413
    assert box.asked == [] or len(box.asked) == len(state["calls"])
