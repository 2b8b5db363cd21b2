"""What a sandbox can put on the wire, and what must come of it."""

import gzip
import json
import zlib
from typing import Any

import attrs

from tests.gateway.bodies import PNG, TOOL, data_url, fields, image_part, text_part

MESSAGES: list[Any] = [{"role": "system", "content": "You answer."}, {"role": "user", "content": "A question\n"}]
HIDDEN = b"GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def body(messages: list[Any] = MESSAGES, **more: Any) -> bytes:
    return json.dumps(fields(messages, **more), ensure_ascii=False, separators=(",", ":")).encode()


GOOD = body()


def post(data: bytes = GOOD, more: bytes = b"") -> bytes:
    """A request with this body and these further lines."""
    return POST + more + b"Content-Length: %d\r\n\r\n" % len(data) + data


def lines(*more: bytes, data: bytes = GOOD) -> bytes:
    """A POST whose further lines are all given."""
    return POST + b"".join(line + b"\r\n" for line in more) + b"\r\n" + data


def get(target: bytes, more: bytes = b"", version: bytes = b"HTTP/1.1") -> bytes:
    return b"GET %s %s\r\nHost: x\r\n%s\r\n" % (target, version, more)


@attrs.frozen
class Row:
    """Bytes, the status of their answer (0: closed without one), how many refusals are recorded and requests passed on.

    Each is answered once, and the connection closed.
    """

    sent: bytes = attrs.field(repr=False)
    status: int
    refused: int = 1
    asked: int = 0


@attrs.frozen
class Outcome:
    """What came of a row."""

    status: int
    refused: int
    asked: int
    responses: int


def faults(row: Row, found: Outcome) -> list[str]:
    """What was not as it must be."""
    expected = Outcome(row.status, row.refused, row.asked, responses=1 if row.status else 0)
    given, wanted = attrs.asdict(found), attrs.asdict(expected)
    return [f"{name} is {given[name]}, not {wanted[name]}" for name in wanted if given[name] != wanted[name]]


LENGTH = b"Content-Length: %d" % len(GOOD)
CHUNKED = b"Transfer-Encoding: chunked"
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(GOOD), GOOD)
SHORT = b"Content-Length: 5"

SMUGGLING = {
    "a length and chunks": Row(lines(LENGTH, CHUNKED, data=CHUNKS + HIDDEN), 400),
    "chunks and a length": Row(lines(CHUNKED, SHORT, data=b"0\r\n\r\n" + HIDDEN), 400),
    "two lengths": Row(lines(LENGTH, SHORT), 400),
    "the same length twice": Row(lines(LENGTH, LENGTH), 400),
    "two lengths in one line": Row(lines(b"Content-Length: 5, 5"), 400),
    "a length with a sign": Row(lines(b"Content-Length: +%d" % len(GOOD)), 400),
    "a length below zero": Row(lines(b"Content-Length: -1"), 400),
    "a length in hexadecimal": Row(lines(b"Content-Length: 0x5"), 400),
    "a length of thirty digits": Row(lines(b"Content-Length: " + b"9" * 30), 400),
    "an empty length": Row(lines(b"Content-Length: "), 400),
    "no length": Row(lines(data=b""), 411),
    "chunks": Row(lines(CHUNKED, data=CHUNKS), 411),
    "chunks with extensions": Row(lines(CHUNKED, data=b"1" + b";x=y" * 1000 + b"\r\n{\r\n0\r\n\r\n"), 411),
    "chunks with trailers": Row(lines(CHUNKED, b"Trailer: X", data=CHUNKS[:-2] + b"X: y\r\n\r\n"), 411),
    "a chunk of 2^64 bytes": Row(lines(CHUNKED, data=b"10000000000000000\r\n{"), 400, refused=1),
    "a chunk of 2^63 bytes": Row(lines(CHUNKED, data=b"7fffffffffffffff\r\n{"), 411),
    "a million chunks of one byte": Row(lines(CHUNKED, data=b"1\r\n{\r\n" * 1_000_000), 411),
    "chunks where no body belongs": Row(get(b"/v1/models", CHUNKED + b"\r\n") + b"1\r\n{\r\n" * 1_000_000, 411),
    "an unknown coding": Row(lines(b"Transfer-Encoding: xchunked", LENGTH), 400),
    "chunks that are not last": Row(lines(b"Transfer-Encoding: chunked, identity", LENGTH), 400),
    "chunks twice": Row(lines(CHUNKED, CHUNKED, data=CHUNKS), 400),
    "a space before the colon": Row(lines(b"Transfer-Encoding : chunked", LENGTH, data=CHUNKS), 400),
    "a vertical tab before a name": Row(lines(b"\x0bTransfer-Encoding: chunked", LENGTH), 400),
    "a folded line": Row(lines(b"X: y", b" Transfer-Encoding: chunked", LENGTH), 400),
    "bare line feeds": Row(post().replace(b"\r\n", b"\n"), 400),
    "a bare carriage return": Row(post(more=b"X: y\rTransfer-Encoding: chunked\r\n"), 400),
    "a line feed in a value": Row(post(more=b"X: y\nX-Two: chunked\r\n"), 400),
    "a NUL in a name": Row(post(more=b"X\0: y\r\n"), 400),
    "a NUL in a value": Row(post(more=b"X: y\0\r\n"), 400),
    "a line without a colon": Row(post(more=b"Nothing\r\n"), 400),
    "two hosts": Row(post(more=b"Host: y\r\n"), 400),
    "a second request behind the first": Row(post() + HIDDEN, 200, refused=0, asked=1),
    "a second request in a body that is too long": Row(lines(SHORT, data=b"{}   " + HIDDEN), 400),
    "a hundred requests at once": Row(HIDDEN * 100, 200, refused=0),
}

HEADS = {
    "a line of 100 kB": Row(get(b"/" + b"y" * 100_000), 400),
    "a header of 100 kB": Row(get(b"/v1/models", b"X: " + b"y" * 100_000 + b"\r\n"), 400),
    "a name of 100 kB": Row(get(b"/v1/models", b"y" * 100_000 + b": x\r\n"), 400),
    "a hundred headers": Row(get(b"/v1/models", b"X: y\r\n" * 100), 400),
    "a hundred thousand headers": Row(get(b"/v1/models", b"X: y\r\n" * 100_000), 400),
    "an absolute URI": Row(get(b"http://192.0.2.1/v1/models"), 404),
    "an absolute URI with a password": Row(get(b"http://u:p@192.0.2.1/v1/models"), 404),
    "an authority": Row(get(b"192.0.2.1:80"), 400),
    "a tunnel": Row(b"CONNECT 192.0.2.1:443 HTTP/1.1\r\nHost: x\r\n\r\n\x16\x03\x01", 404),
    "a star": Row(b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 404),
    "a path with an escaped line end": Row(get(b"/v1/models%0d%0aX:%20y"), 404),
    "a path that climbs": Row(get(b"/v1/../v1/models"), 404),
    "a query": Row(get(b"/v1/models?x"), 404),
    "an unknown method": Row(b"BREW /v1/models HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "a websocket": Row(post(more=b"Upgrade: websocket\r\nConnection: Upgrade\r\n"), 415),
    "an upgrade to HTTP/2": Row(post(more=b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n"), 415),
    "HTTP/2": Row(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9), 400),
    "HTTP/0.9": Row(b"GET /v1/models\r\n\r\n", 400),
    "HTTP/1.2": Row(get(b"/v1/models", version=b"HTTP/1.2"), 400),
    "HTTP/3.0": Row(get(b"/v1/models", version=b"HTTP/3.0"), 400),
    "another protocol": Row(get(b"/v1/models", version=b"ICE/1.0"), 400),
    "TLS": Row(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), 400),
    "no host": Row(b"GET /v1/models HTTP/1.1\r\n\r\n", 400),
    "a question before the body": Row(post(more=b"Expect: 100-continue\r\n"), 415),
    "a form": Row(post().replace(b"application/json", b"text/plain"), 415),
}

BOMB = gzip.compress(bytes(100_000_000))
DEEP = b"[" * 5_000_000
WIDE = "\U0001f600"


def replaced(old: bytes, new: bytes) -> bytes:
    assert old in GOOD
    return post(GOOD.replace(old, new, 1))


def picture(url: str) -> bytes:
    return post(body([MESSAGES[0], {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]))


def tool(**more: Any) -> bytes:
    return post(body(tools=[{"type": "function", "function": {**TOOL["function"], **more}}]))  # type: ignore[dict-item]


PLACE = b'"temperature":0'

BODIES = {
    "a bomb in gzip": Row(post(BOMB, b"Content-Encoding: gzip\r\n"), 415),
    "a bomb in deflate": Row(post(zlib.compress(bytes(50_000_000)), b"Content-Encoding: deflate\r\n"), 415),
    "a body in br": Row(post(b"\x0b\x02\x80", b"Content-Encoding: br\r\n"), 415),
    "gzip that is not announced": Row(post(gzip.compress(GOOD)), 400),
    "a body that is too large": Row(lines(b"Content-Length: 41943041", data=b"{"), 413),
    "text that is too large": Row(post(body([*MESSAGES, {"role": "user", "content": "x" * (9 << 20)}])), 413),
    "lists within lists": Row(post(DEEP), 400),
    "objects within objects": Row(post(b'{"a":' * 1_000_000), 400),
    "a depth of 70": Row(replaced(PLACE, b'"temperature":' + b"[" * 70 + b"]" * 70), 400),
    "a million empty lists": Row(post(b"[" + b"[]," * 1_000_000 + b"[]]"), 400),
    "a number of a million digits": Row(replaced(PLACE, b'"temperature":' + b"9" * 1_000_000), 400),
    "a number beyond doubles": Row(replaced(PLACE, b'"temperature":1e999'), 400),
    "NaN": Row(replaced(PLACE, b'"temperature":NaN'), 400),
    "Infinity": Row(replaced(PLACE, b'"temperature":-Infinity'), 400),
    "a key twice": Row(replaced(PLACE, b'"temperature":0,"temperature":1'), 400),
    "a key twice, once escaped": Row(replaced(PLACE, PLACE + rb',"\u0074emperature":1'), 400),
    "a byte order mark": Row(post(b"\xef\xbb\xbf" + GOOD), 400),
    "UTF-16": Row(post(GOOD.decode().encode("utf-16")), 400),
    "UTF-32": Row(post(GOOD.decode().encode("utf-32")), 400),
    "no UTF-8": Row(replaced(b"A question", b"\xff"), 400),
    "a surrogate as UTF-8": Row(replaced(b"A question", b"\xed\xa0\x80"), 400),
    "half a body": Row(post(GOOD[:-5]), 400),
    "two bodies": Row(post(GOOD + GOOD), 400),
    "a comment": Row(replaced(PLACE, PLACE + b"/**/"), 400),
    "a control sign in a string": Row(replaced(b"A question", b"A\x00question"), 400),
    "a model's name with a line end": Row(replaced(b'"vlm"', rb'"vlm\r\nX-Injected: y"'), 404),
    "a model's name that is a path": Row(replaced(b'"vlm"', b'"../../files"'), 404),
    "a tool's name with a line end": Row(tool(name="bash\r\nX-Injected: y"), 400),
    "a choice of a tool with a line end": Row(
        post(body(tool_choice={"type": "function", "function": {"name": "a\r\nX: y"}})), 400
    ),
    "a field for further headers": Row(replaced(PLACE, b'"extra_headers":{"X-Injected":"y"}'), 400),
    "an image of another host": Row(picture("http://192.0.2.1/x.png"), 400),
    "an image of the host": Row(picture("http://127.0.0.1/x.png"), 400),
    "an image in half a URL": Row(picture(data_url(PNG * 2000)[:-3]), 400),
    "half a million beginnings of images": Row(post(b'[{"url":"data:image/' * 500_000), 413),
}

PICTURES = [image_part(PNG + bytes([number]) * 9_000_000) for number in (1, 2, 3)]
LARGE = [MESSAGES[0], {"role": "user", "content": [text_part(WIDE * 1_000_000), *PICTURES]}]

CONTROLS = {
    "the models": Row(get(b"/v1/models"), 200, refused=0),
    "a good request": Row(post(), 200, refused=0, asked=1),
    "a good request in HTTP/1.0": Row(post().replace(b"HTTP/1.1", b"HTTP/1.0"), 200, refused=0, asked=1),
    "half a character": Row(replaced(b"A question", rb"\ud83d"), 200, refused=0, asked=1),
    "much text": Row(
        post(body([*MESSAGES, {"role": "user", "content": WIDE + "x," * 1_000_000}])), 200, refused=0, asked=1
    ),
    "megabytes of images beside wide text": Row(post(body(LARGE)), 200, refused=0, asked=1),
}

ROWS = {**SMUGGLING, **HEADS, **BODIES, **CONTROLS}
