"""A rollout's conversation, read back from its record."""

import json
from pathlib import Path

import pytest

from harness.errors import StoreCorruptError
from harness.report.conversation import Picture, Turn, conversation
from harness.store.blobs import Blobs
from harness.store.digests import digest
from tests.gateway.bodies import JPEG, PNG, PROMPT, SYSTEM, attached, body, data_url, opening, turn
from tests.report.talks import record, reply

CALL = ("call_1", "Bash", '{"command": "ls"}')
AGAIN = ("call_1", "bash", '{"command":"ls"}')  # as OpenCode repeats it
PICTURE = Picture(digest(PNG), data_url(PNG))


def turns(path: Path, *exchanges: tuple[bytes, bytes], **more: object) -> tuple[Turn, ...]:
    blobs = Blobs(path)
    return conversation(record(blobs, exchanges, **more), blobs)  # type: ignore[arg-type]


def talk(text: str = "I look.", result: str = "image.png\n") -> list[tuple[bytes, bytes]]:
    later = [*opening(), *turn(text, [AGAIN], [result]), attached(JPEG)]
    return [(body(opening()), reply(text, CALL, reasoning="Hm.")), (body(later), reply("\\boxed{3}"))]


def test_what_was_given_said_and_returned_in_its_order(tmp_path: Path) -> None:
    system, user, called, tool, picture, answer = turns(tmp_path, *talk())
    assert (system.role, system.text) == ("system", SYSTEM)
    assert (user.role, user.parts[-2:], user.pictures) == ("user", (PICTURE, PROMPT), (PICTURE,))
    assert (called.role, called.call, called.text, called.reasoning) == ("assistant", 0, "I look.", "Hm.")
    assert (tool.role, tool.text, tool.tool_call_id, tool.tool) == ("tool", "image.png\n", "call_1", "Bash")
    assert [part.media_type for part in picture.pictures] == ["image/jpeg"]
    assert picture.pictures[0].data() == JPEG
    assert (answer.role, answer.call, answer.text, answer.tool_calls) == ("assistant", 1, "\\boxed{3}", ())


def test_the_models_own_words_stand_there_and_not_how_they_are_repeated(tmp_path: Path) -> None:
    (call,) = turns(tmp_path, *talk())[2].tool_calls
    assert (call.id, call.name, call.arguments) == CALL


def test_calls_beside_the_chain_are_no_part_of_it(tmp_path: Path) -> None:
    first, last = talk()
    shells = (body([{"role": "user", "content": "Tell me."}]), reply("I am told."))
    assert turns(tmp_path, first, shells, last, chain=(0, 2))[-1].call == 2
    assert "I am told." not in repr(turns(tmp_path, first, shells, last, chain=(0, 2)))


def test_ids_that_are_written_anew_lead_to_the_models_own(tmp_path: Path) -> None:
    later = [*opening(), *turn("", [("a_b", "bash", "{}")], ["done"])]
    exchanges = ((body(opening()), reply("", ("a.b", "bash", "{}"))), (body(later), reply("3")))
    assert turns(tmp_path, *exchanges)[3].tool_call_id == "a.b"


def test_without_an_answer_there_is_what_was_to_be_asked(tmp_path: Path) -> None:
    (asked,) = turns(tmp_path, prompt="How many?", images=(PNG, JPEG))
    assert asked.parts == (PICTURE, Picture(digest(JPEG), data_url(JPEG, "jpeg")), "How many?")


@pytest.mark.parametrize("text", ["\ud83d", "a\x00b\x1b[2J", "x" * 5_000_000, "[" * 100_000])
def test_any_text_comes_as_it_was(tmp_path: Path, text: str) -> None:
    first, (later, last) = talk(result="RESULT")
    later = later.replace(b"RESULT", json.dumps(text)[1:-1].encode())
    assert turns(tmp_path, first, (later, last))[3].text == text
    assert turns(tmp_path, (body(opening()), reply(text)))[-1].text == text


def test_an_answer_that_nobody_can_read_is_a_turn_all_the_same(tmp_path: Path) -> None:
    last = turns(tmp_path, (body(opening()), b"\xff{"))[-1]
    assert (last.role, last.parts, last.tool_calls) == ("assistant", (), ())


@pytest.mark.parametrize(
    "request_body",
    [
        b"[",
        b"{}",
        json.dumps({"messages": 3}).encode(),
        json.dumps({"messages": [{"role": "developer", "content": ""}]}).encode(),
        body([*opening(), *turn("", [AGAIN], ["done"])]),
    ],
)
def test_a_request_that_is_no_talk_is_damage(tmp_path: Path, request_body: bytes) -> None:
    with pytest.raises(StoreCorruptError, match="task '1', repeat 0, holds no conversation"):
        turns(tmp_path, (request_body, reply("3")))


def test_an_answer_that_is_never_repeated_is_damage(tmp_path: Path) -> None:
    with pytest.raises(StoreCorruptError, match="fewer answers"):
        turns(tmp_path, (body(opening()), reply("a")), (body(opening()), reply("b")))
