"""Endpoints that send anything, for ever: each call comes to an end, in bounded memory, and the key stays here."""

import base64
import contextlib
import gzip
import json
import socket
import time
import zlib

import attrs
import pytest

from harness.gateway.sse import DONE
from tests.gateway.hostile.conftest import KEY, Boxes, read_all, status_of
from tests.gateway.hostile.rows import post
from tests.gateway.hostile.upstream import GOOD, Act, response, sends
from tests.gateway.scripted import chunk, stream

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
END = chunk({}, "stop") + f"data: {DONE}\n\n".encode()
STALL = 0.6


def for_ever(beginning: bytes, data: bytes, pause: float = 0) -> Act:
    """Sends some bytes and then others until the gateway hangs up."""

    def act(sock: socket.socket) -> None:
        sock.sendall(beginning)
        while True:
            sock.sendall(data)
            time.sleep(pause)

    return act


def said(text: str) -> bytes:
    return f"data: {text}\n\n".encode()


def calls(count: int) -> bytes:
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    return b"".join(chunk({"tool_calls": [call]}) for _ in range(count))


@attrs.frozen
class Row:
    """What the endpoint does, and the failures that can come of it (None: it is an answer)."""

    act: Act = attrs.field(repr=False)
    failures: tuple[str | None, ...]


def whole(data: bytes, *headers: str, status: str = "200 OK") -> Act:
    return sends(response(data, status, *headers))


ROWS = {
    "no line end": Row(for_ever(HEAD, b"x" * 65536), ("refused",)),
    "comments": Row(for_ever(HEAD, b": x\n\n" * 10_000), ("refused",)),
    "empty lines": Row(for_ever(HEAD, b"\n" * 65536), ("refused",)),
    "empty events": Row(for_ever(HEAD, b"data:\n\n" * 10_000), ("refused",)),
    "a line of data": Row(for_ever(HEAD + b"data: ", b"x" * 65536), ("refused",)),
    "text": Row(for_ever(HEAD, chunk({"content": "x" * 60_000})), ("refused",)),
    "a body that is announced with 10^18 bytes": Row(
        for_ever(HEAD[:-2] + b"Content-Length: 1000000000000000000\r\n\r\n", b"x" * 65536), ("refused",)
    ),
    "an error without end": Row(for_ever(HEAD.replace(b"200 OK", b"500 Oh"), b"x" * 65536), ("broken",)),
    "headers": Row(for_ever(HEAD[:-2], b"X: y\r\n" * 1000), ("broken", "unreachable")),
    "a header": Row(for_ever(HEAD[:-2] + b"X: ", b"y" * 65536), ("broken", "unreachable")),
    "a status line": Row(for_ever(b"HTTP/1.1 200 ", b"y" * 65536), ("broken", "unreachable")),
    "interim responses": Row(for_ever(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", 0.01), ("silent", "unreachable")),
    "a head that drips": Row(for_ever(b"HTTP/1.1 200 OK\r\nX: ", b"y", 0.05), ("silent",)),
    "nothing": Row(for_ever(b"", b"", 0.1), ("silent",)),
    "nothing after its head": Row(for_ever(HEAD, b"", 0.1), ("silent",)),
    "a hang-up": Row(sends(b""), ("unreachable",)),
    "no HTTP": Row(sends(b"hello\r\n\r\n"), ("unreachable", "broken")),
    "HTTP/0.9": Row(sends(stream("C")), ("unreachable", "broken")),
    "another protocol": Row(sends(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nx"), ("broken", "refused")),
    "a redirect": Row(whole(b"", "Location: /else", status="307 There"), ("refused",)),
    "a redirect to another host": Row(whole(b"", "Location: http://192.0.2.1/", status="302 There"), ("refused",)),
    "a bomb in gzip": Row(whole(gzip.compress(bytes(200_000_000)), "Content-Encoding: gzip"), ("refused",)),
    "a bomb in deflate": Row(whole(zlib.compress(bytes(200_000_000)), "Content-Encoding: deflate"), ("refused",)),
    "a bomb in an error": Row(
        whole(gzip.compress(bytes(200_000_000)), "Content-Encoding: gzip", status="400 No"), ("refused",)
    ),
    "gzip in gzip": Row(
        whole(gzip.compress(gzip.compress(stream("C"))), "Content-Encoding: gzip, gzip"), ("broken", "refused")
    ),
    "br": Row(whole(b"\x0b\x02\x80hello\x03", "Content-Encoding: br"), ("broken", "unreachable")),
    "zstd": Row(whole(b"\x28\xb5\x2f\xfd\x00\x58", "Content-Encoding: zstd"), ("broken", "unreachable")),
    "gzip that is none": Row(whole(b"hello", "Content-Encoding: gzip"), ("broken",)),
    "a body that is cut": Row(sends(response(stream("C"))[:-20]), ("broken",)),
    "a chunk of 2^64 bytes": Row(
        sends(HEAD[:-2] + b"Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\nx"), ("broken", "unreachable")
    ),
    "a length below zero": Row(sends(HEAD[:-2] + b"Content-Length: -1\r\n\r\n"), ("broken", "unreachable")),
    "lists within lists": Row(whole(said("[" * 1_000_000) + END), ("broken",)),
    "an error within errors": Row(whole(said('{"error":' * 5000 + "1" + "}" * 5000) + END), ("broken",)),
    "millions of empty lists": Row(whole(said("[" + "[]," * 4_000_000 + "[]]") + END), ("broken",)),
    "a number of a million digits": Row(whole(said('{"x":' + "9" * 1_000_000 + "}") + END), ("broken",)),
    "100,000 tool calls": Row(whole(calls(100_000) + END), ("broken",)),
    "wide text": Row(whole(chunk({"content": "x" * 10_000_000 + "\U0001f600"}) + END), (None,)),
    "words that take long to search": Row(whole(b"input token count" * 3800, status="400 No"), ("refused", "overflow")),
    "a huge Retry-After": Row(whole(b"", "Retry-After: 99999999999999999999", status="429 No"), ("overloaded",)),
    "an answer (control)": Row(sends(GOOD), (None,)),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_call_comes_to_its_end(boxes: Boxes, name: str) -> None:
    row, neighbour = ROWS[name], boxes()
    box = boxes(row.act, stall=STALL)
    got = box.send(post())
    state = box.state()
    assert state["failures"][0] in row.failures
    assert status_of(got) == (400 if state["failures"][0] else 200)
    assert len(box.asked) == 1
    assert state["received"][0] <= (33 << 20)
    assert status_of(neighbour.send(post())) == 200


def test_most_rows_are_no_answers() -> None:
    assert sum(None in row.failures for row in ROWS.values()) == 2


def test_an_endless_drip_ends_with_the_talk(boxes: Boxes) -> None:
    box = boxes(for_ever(HEAD, b": x\n\n", 0.05), stall=STALL, heartbeat=0.2)
    with box.connect() as sock:
        sock.sendall(post())
        sock.recv(1 << 16)
        time.sleep(3 * STALL)
        assert box.state()["calls"] == ["waiting"]  # it isn't silent; the attempt's own time-out ends it
        boxes.end()
        with contextlib.suppress(OSError):
            read_all(sock)


def in_two(first: bytes, second: bytes) -> Act:
    """Sends bytes, and a little later others."""

    def act(sock: socket.socket) -> None:
        sock.sendall(first)
        time.sleep(0.2)
        sock.sendall(second)

    return act


IN_PIECES = b"".join(chunk({"content": sign}) for sign in f"Your key is {KEY}.") + END
ECHOES = {
    "its body": whole(json.dumps({"error": {"message": f"bad key {KEY}"}}).encode(), status="401 No"),
    "its status line": sends(response(b"no", f"401 {KEY}")),
    "a bad status line": sends(f"HTTP/1.1 {KEY} x\r\n\r\n".encode()),
    "a header": whole(b"no", f"X-Key: {KEY}", status="400 No"),
    "a bad header": sends(f"HTTP/1.1 200 OK\r\nX {KEY}\r\n\r\n".encode()),
    "a bad header in two parts": in_two(b"HTTP/1.1 200 OK\r\nX " + KEY[:18].encode(), f"{KEY[18:]}\r\n\r\n".encode()),
    "a redirect": whole(b"", f"Location: http://192.0.2.1/?{KEY}", status="302 There"),
    "an answer": whole(stream(f"Your key is {KEY}.")),
    "an answer in pieces": whole(IN_PIECES),
    "a tool call": whole(stream("", [("c", "bash", json.dumps({"command": KEY}))])),
    "the id of an answer": whole(chunk({"content": "C"}, id=KEY) + END),
    "JSON with numbers for signs": whole(KEY.replace("+", "\\u002B").encode(), status="400 No"),
    "JSON with slashes escaped": whole(KEY.replace("/", "\\/").encode(), status="400 No"),
    "JSON in JSON": whole(said(json.dumps({"error": {"message": json.dumps(KEY).replace("/", "\\/"), "code": 400}}))),
    "an error within a stream": whole(said(json.dumps({"error": {"message": KEY, "code": 400}}))),
    "what is cut": sends(response(stream("C"))[:-20].replace(b"C", KEY.encode())),
    "the end of what is cut": sends(HEAD[:-2] + b"Content-Length: 9999\r\n\r\n" + KEY[:-3].encode()),
    "a long error": whole(b"x" * 1990 + KEY.encode() + b"x" * 100_000, status="400 No"),
}


@pytest.mark.parametrize("place", ECHOES)
def test_a_key_that_comes_back_stays_out_of_everything(boxes: Boxes, place: str) -> None:
    box = boxes(ECHOES[place])
    got = box.send(post()).decode("latin-1")
    assert KEY.encode() in box.asked[0][0]  # it was sent, or nothing could have come back
    for text in (got, box.everything()):
        for form in (KEY, KEY[:16], KEY.replace("/", "\\/"), KEY.replace("+", "\\u002B"), KEY.partition("/")[2]):
            assert form not in text
        assert base64.b64encode(KEY.encode()).decode() not in text


def test_a_marked_word_that_is_no_key_is_seen(boxes: Boxes) -> None:
    """The search that finds no key finds what is there."""
    box = boxes(whole(stream("Your word is marked-0123.")))
    assert "marked-0123" in box.send(post()).decode()
    assert "marked-0123" in box.everything()
