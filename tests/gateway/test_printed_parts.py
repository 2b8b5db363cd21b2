"""A printed list of parts is told from code about such lists."""

import json
import time
from typing import Any

import pytest

from harness.gateway.printed_parts import HINT, shows

TEXT: dict[str, Any] = {"type": "text", "text": "How many {apples}?"}
URL: dict[str, Any] = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
LISTS = [
    [TEXT, {"type": "image"}],
    [{"type": "image"}, TEXT],
    [URL, TEXT],
    [TEXT],
    [{"type": "input_text", "text": "x"}],
    [{"type": "input_image", "image_url": "data:,", "detail": "auto"}],
    [{"type": "image", "image": "<image>"}],
]


@pytest.mark.parametrize("parts", LISTS, ids=str)
@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "The user sends: {}\nThere is no image that I can see.",
        "It says `{}`, which is odd.",
        "<|im_start|>user\n{}<|im_end|>",
        "Here is code first:\n```python\nprint(1)\n```\nand the prompt was {}",
    ],
)
def test_a_printed_list_is_seen(parts: list[Any], form: str) -> None:
    for printed in (
        str(parts),
        json.dumps(parts),
        json.dumps(parts, indent=2),
        json.dumps(parts, separators=(",", ":")),
    ):
        assert shows(form.replace("{}", printed))
        assert shows(form.replace("{}", json.dumps(printed)[1:-1])), "with escaped quotes"


def test_a_list_that_was_cut_is_seen() -> None:
    assert shows("[{'type': 'text', 'text': 'Look at the")


@pytest.mark.parametrize(
    "text",
    [
        "",
        r"The answer is \boxed{[{1, 2}]}",
        'A part looks like {"type": "text", "text": "hi"}.',
        'The column is [{"type": "integer"}].',
        '[{"type": "text"}]',
        '[{"type": "textual", "text": "x"}]',
        "[{'name': 'a', 'type': 'text', 'text': 'b'}]",
        "The list [{type: 'text', text: 'a'}] is JavaScript.",
        "type text, [image], {'type': 'image'}",
        'Send {"role": "user", "content": [{"type": "text", "text": "hi"}]} to the server.',
        "Use {'content': [{'type': 'image_url', 'image_url': {'url': u}}]}.",
        "parts = [{'type': 'text', 'text': question}]",
        "Then client.send([{'type': 'text', 'text': question}]) asks it.",
        'As JSON:\n```json\n[{"type": "text", "text": "hi"}]\n```\nThat is all.',
        '```\n[{"type": "text", "text": "a block that was never closed',
    ],
)
def test_code_and_other_lists_are_not(text: str) -> None:
    assert not shows(text)


@pytest.mark.parametrize(
    "piece", ["[", "[ ", "[{", "[{'type':", "[{" + "\\" * 9, "\\", "= [{'type': 'text', 'text':", "```\n", " ```", "\n"]
)
def test_no_text_is_slow(piece: str) -> None:
    started = time.process_time()
    assert not shows(piece * (2_000_000 // len(piece)))
    assert time.process_time() - started < 5


def test_the_hint_says_what_to_do() -> None:
    assert "--chat-template-content-format openai" in HINT
