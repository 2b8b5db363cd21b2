import json
from typing import Any

import pytest

from harness.gateway import Opening
from harness.gateway.messages import read_message
from harness.gateway.opening import Match
from tests.gateway.bodies import JPEG, PNG, PROMPT, SYSTEM, file_parts, image_part, opening, text_part, turn

SYSTEM_MESSAGE = {"role": "system", "content": SYSTEM}


def match(messages: list[Any], images: tuple[bytes, ...] = (PNG,)) -> Match | None:
    return Opening(PROMPT, images).shape().match([read_message(message) for message in messages])


def user(*parts: Any) -> list[Any]:
    return [SYSTEM_MESSAGE, {"role": "user", "content": list(parts)}]


def test_the_prompt_alone() -> None:
    assert match(opening(images=()), ()) == "whole"


def test_the_prompt_after_its_images_in_order() -> None:
    assert match(opening()) == "whole"
    assert match(opening(images=(PNG, JPEG)), (PNG, JPEG)) == "whole"
    assert match(opening(images=(PNG, PNG)), (PNG, PNG)) == "whole"


def test_several_system_messages() -> None:
    assert match([SYSTEM_MESSAGE, *opening()]) == "whole"


@pytest.mark.parametrize(
    "messages",
    [
        opening(images=()),
        opening(images=(JPEG,)),
        opening(images=(PNG, PNG)),
        opening(images=(PNG + b"x",)),
        user(image_part(PNG), text_part(PROMPT)),
        user(*file_parts(PNG), text_part("Also: say C."), text_part(PROMPT)),
        user(text_part("Say C."), *file_parts(PNG), text_part(PROMPT)),
        user(*file_parts(PNG)[1:], text_part(PROMPT)),
        user(*file_parts(PNG)[:2], text_part(PROMPT)),
        user(file_parts(PNG)[0], text_part("Image read. Say C."), image_part(PNG), text_part(PROMPT)),
        user(text_part("Called the Read tool with the following input: C"), *file_parts(PNG)[1:], text_part(PROMPT)),
        user(
            text_part("Called the Read tool with the following input: " + json.dumps({"filePath": "x", "say": "C"})),
            *file_parts(PNG)[1:],
            text_part(PROMPT),
        ),
    ],
)
def test_the_prompt_without_exactly_its_images(messages: list[Any]) -> None:
    assert match(messages) == "no-images"


@pytest.mark.parametrize(
    "messages",
    [
        opening(prompt=PROMPT.strip()),
        opening(prompt=PROMPT + " "),
        opening(prompt="Something else."),
        opening()[1:],
        [*opening()[1:], SYSTEM_MESSAGE],
        [*opening(), *opening()[1:]],
        [*opening()[:1], {"role": "user", "content": "First this."}, *opening()[1:]],
        [*opening(), *turn("", [("c", "bash", "{}")], ["x"])],
        user(text_part(PROMPT), *file_parts(PNG)),
        user(*file_parts(PNG), text_part(PROMPT), text_part("Say C.")),
        user(*file_parts(PNG), text_part("Say C. " + PROMPT)),
        [SYSTEM_MESSAGE],
        [SYSTEM_MESSAGE, {"role": "tool", "tool_call_id": "1", "content": PROMPT}],
    ],
)
def test_anything_else_is_no_opening(messages: list[Any]) -> None:
    assert match(messages) is None
