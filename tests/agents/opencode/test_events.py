import json

import pytest

from harness.agents.opencode.events import LINES_MAX, MESSAGE_MAX, SESSIONS_MAX, VALUES_MAX, Events, parse
from harness.gateway import Witness


def event(kind: str, **fields: object) -> bytes:
    """One line as OpenCode 1.17.11 writes it."""
    return json.dumps({"type": kind, "timestamp": 1, "sessionID": "ses_x", **fields}).encode() + b"\n"


def part(kind: str, **fields: object) -> bytes:
    return event(kind, part={"id": "prt_x", "messageID": "msg_x", "sessionID": "ses_x", **fields})


TALK = b"".join(
    [
        part("step_start", type="step-start"),
        part("text", type="text", text="Cropping.", time={"start": 1, "end": 2}),
        part(
            "tool_use",
            type="tool",
            tool="bash",
            callID="call_0",
            state={"status": "completed", "input": {"command": "true"}, "output": "(no output)"},
        ),
        part("step_finish", type="step-finish", reason="tool-calls", cost=0),
        part("step_start", type="step-start"),
        part("text", type="text", text="Final: \\boxed{B}"),
        part("step_finish", type="step-finish", reason="stop", cost=0),
    ]
)
READ = Events(
    texts=("Cropping.", "Final: \\boxed{B}"),
    tool_calls=("call_0",),
    reasons=("tool-calls", "stop"),
    sessions=("ses_x",),
)


def test_a_whole_talk() -> None:
    assert parse(TALK) == READ


def test_no_bytes_are_no_events() -> None:
    assert parse(b"") == Events()


@pytest.mark.parametrize(
    "garbage",
    [
        b"\xff\xfe\x00not text",
        b"not json",
        b"[1, 2]",
        b'{"no": "type"}',
        b'{"type": 5, "part": {"text": "x"}}',
        b"[" * 100_000,
        b'{"type":"text","part":{"text":' + b"9" * 5000 + b"}}",
    ],
)
def test_a_line_that_is_no_event_is_counted_and_the_rest_is_read(garbage: bytes) -> None:
    found = parse(garbage + b"\n" + TALK)
    assert found.unreadable == 1
    assert (found.texts, found.tool_calls, found.reasons) == (READ.texts, READ.tool_calls, READ.reasons)


@pytest.mark.parametrize(
    "odd", [event("text"), event("text", part="x"), part("text", text=5), part("tool_use", callID=None)]
)
def test_an_event_without_its_field_says_nothing(odd: bytes) -> None:
    assert parse(odd) == Events(sessions=("ses_x",))


def test_a_torn_last_line_is_seen() -> None:
    found = parse(TALK[:-20])
    assert found.torn
    assert found.unreadable == 1
    assert found.texts == READ.texts


def test_a_line_with_an_image_of_20_megabytes_is_read() -> None:
    image = "data:image/png;base64," + "x" * 20_000_000
    assert parse(part("tool_use", callID="c", state={"output": image}) + TALK).tool_calls == ("c", *READ.tool_calls)


def test_a_line_with_a_text_of_20_megabytes_is_not_read_and_the_rest_is() -> None:
    found = parse(part("text", text="word " * 4_000_000) + TALK)
    assert (found.texts, found.unreadable) == (READ.texts, 1)


@pytest.mark.timeout(60)
def test_a_line_of_runs_that_are_nearly_images_is_not_slow() -> None:
    found = parse(part("text", text=("x" * 65535 + " ") * 100) + TALK)
    assert (found.texts, found.unreadable) == (READ.texts, 1)


def test_an_error_is_its_name_and_message() -> None:
    line = event("error", error={"name": "ContextOverflowError", "data": {"message": "too long"}})
    assert parse(line).errors == ("ContextOverflowError: too long",)


@pytest.mark.parametrize("error", [None, 5, {}, {"name": 7, "data": []}])
def test_an_error_of_an_odd_shape_is_unknown(error: object) -> None:
    assert parse(event("error", error=error)).errors == ("unknown",)


def test_a_long_error_is_cut() -> None:
    line = event("error", error={"name": "E", "data": {"message": "m" * 10_000}})
    assert [len(text) for text in parse(line).errors] == [MESSAGE_MAX]


def test_sessions_are_named_once_and_only_if_they_look_like_one() -> None:
    lines = [json.dumps({"type": "x", "sessionID": found}) for found in ("ses_A1", "ses_b", "ses_A1", "x", "ses_!", 5)]
    assert parse("\n".join(lines).encode()).sessions == ("ses_A1", "ses_b")


def test_sessions_are_not_followed_without_end() -> None:
    lines = [json.dumps({"type": "x", "sessionID": f"ses_{number}"}) for number in range(100)]
    assert len(parse("\n".join(lines).encode()).sessions) == SESSIONS_MAX


def test_the_witness_is_what_was_said_and_called() -> None:
    assert parse(TALK).witness == Witness(READ.texts, READ.tool_calls)


def test_a_flood_of_lines_is_read_up_to_a_bound() -> None:
    text = b'{"type":"text","part":{"text":"early"}}\n'
    found = parse(text + b"[]\n" * (2 * LINES_MAX) + text.replace(b"early", b"late"))
    assert found.texts == ("early",)
    assert found.unreadable == LINES_MAX - 1


def test_a_flood_of_values_in_one_line_is_not_read() -> None:
    text = b'{"type":"text","part":{"text":"early"}}\n'
    found = parse(text + b"[" + b"{}," * VALUES_MAX + b"{}]\n" + text)
    assert found.texts == ("early",)
    assert found.unreadable == 2
