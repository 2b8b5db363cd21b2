"""Each row: the answer, the refusal in the record, and what went on to the endpoint; the gateway serves as before."""

import re

import attrs
import pytest

from tests.gateway.hostile.conftest import KEY, Boxes, status_of
from tests.gateway.hostile.rows import CONTROLS, MESSAGES, ROWS, Outcome, Row, body, faults, get, post

# What a gateway that lets everything through, and one that lets nothing through, would make of a row.
OPEN = Outcome(200, 0, 1, 1)
SHUT = Outcome(400, 1, 0, 1)


@pytest.mark.parametrize("name", ROWS)
def test_a_row(boxes: Boxes, name: str) -> None:
    row, box, neighbour = ROWS[name], boxes(), boxes()
    got = box.send(row.sent)
    state = box.state()
    found = Outcome(status_of(got), state["refused"], len(box.asked), len(re.findall(rb"HTTP/\d\.\d \d{3} ", got)))
    assert faults(row, found) == [], (got[:300], state["refusals"])
    assert not state["ended"]
    assert all(b"injected" not in head.lower() for head, _ in box.asked)
    assert KEY.encode() not in got
    for served in (box, neighbour):
        assert status_of(served.send(post())) == 200


def test_there_are_rows_enough() -> None:
    assert len(ROWS) - len(CONTROLS) >= 60


@pytest.mark.parametrize("name", ROWS)
def test_no_row_would_pass_at_any_gateway(name: str) -> None:
    row = ROWS[name]
    # Of what is let through, only that it is answered once tells a good gateway from one that reads on.
    lax = attrs.evolve(OPEN, responses=2) if row.status == 200 and name not in CONTROLS else OPEN
    assert faults(row, lax if row != CONTROLS["the models"] else SHUT) or name in CONTROLS
    assert faults(row, SHUT if row.status == 200 else OPEN)


def test_a_fault_is_seen_in_each_part() -> None:
    row = Row(b"", 400, refused=1, asked=0)
    good = Outcome(400, 1, 0, 1)
    assert faults(row, good) == []
    for change in ({"status": 200}, {"refused": 0}, {"asked": 1}, {"responses": 2}):
        assert len(faults(row, attrs.evolve(good, **change))) == 1


def test_headers_of_the_sandbox_end_here(boxes: Boxes) -> None:
    box = boxes()
    more = b"Authorization: Bearer x\r\nX-Injected: y\r\nCookie: a=b\r\nForwarded: for=x\r\nProxy-Authorization: z\r\n"
    assert status_of(box.send(post(more=more))) == 200
    assert status_of(box.send(post())) == 200
    (first, _), (second, _) = box.asked
    assert first == second
    assert f"Bearer {KEY}".encode() in first


def test_half_a_character_goes_on_as_utf_8(boxes: Boxes) -> None:
    box = boxes()
    box.send(CONTROLS["half a character"].sent)
    assert "\ufffd" in box.asked[0][1].decode("utf-8")


def test_images_go_on_byte_for_byte(boxes: Boxes) -> None:
    box = boxes()
    sent = CONTROLS["megabytes of images beside wide text"].sent
    assert status_of(box.send(sent)) == 200
    start = sent.index(b"data:image/png")
    end = sent.index(b'"', start)
    assert sent[start:end] in box.asked[0][1]


def test_the_requests_in_memory_are_bounded(boxes: Boxes) -> None:
    box = boxes(max_held=1 << 20)
    asking = [body([*MESSAGES, {"role": "user", "content": f"{number}" + "y" * 300_000}]) for number in range(6)]
    assert [status_of(box.send(post(data))) for data in asking] == [200, 200, 200, 200, 403, 403]
    assert box.state()["exhausted"] == "record"


def test_refusals_do_not_fill_the_record(boxes: Boxes) -> None:
    box = boxes()
    for _ in range(300):
        box.send(get(b"/" + b"x" * 3000))
    state = box.state()
    assert (state["refused"], len(state["refusals"])) == (300, 100)
