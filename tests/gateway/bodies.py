"""Request bodies as OpenCode 1.17.11 writes them."""

import base64
import json
from collections.abc import Sequence
from typing import Any

SYSTEM = "You are an agent.\n<env>\n  Today's date: Sun Nov 29 2026\n</env>"
PINNED = SYSTEM.replace("Sun Nov 29 2026", "Thu Jan 01 2026")
PROMPT = "Which one is the odd one out?\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(40))
JPEG = b"\xff\xd8\xff\xe0" + bytes(range(30))

TOOL = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Runs a command.",
        "parameters": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"command": {"type": "string"}},
        },
    },
}


def data_url(data: bytes, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def image_part(data: bytes) -> dict[str, Any]:
    kind = "jpeg" if data == JPEG else "png"
    return {"type": "image_url", "image_url": {"url": data_url(data, kind)}}


def text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def file_parts(data: bytes, path: str = "/task/in/image.png") -> list[dict[str, Any]]:
    """What a --file becomes."""
    called = "Called the Read tool with the following input: " + json.dumps({"filePath": path}, separators=(",", ":"))
    return [text_part(called), text_part("Image read successfully"), image_part(data)]


def opening(prompt: str = PROMPT, images: Sequence[bytes] = (PNG,)) -> list[dict[str, Any]]:
    """The first request's messages."""
    parts = [part for data in images for part in file_parts(data)]
    content: Any = [*parts, text_part(prompt)] if parts else prompt
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": content}]


def turn(text: str, calls: Sequence[tuple[str, str, str]], results: Sequence[str]) -> list[dict[str, Any]]:
    """An answer with tool calls (id, name, arguments) as it is repeated, and their results."""
    written = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls]
    tools = [{"role": "tool", "tool_call_id": c[0], "content": r} for c, r in zip(calls, results, strict=True)]
    return [{"role": "assistant", "content": text, "tool_calls": written}, *tools]


def attached(*images: bytes) -> dict[str, Any]:
    """The message that carries images which tools returned."""
    parts = [text_part("Attached media from tool result:"), *map(image_part, images)]
    return {"role": "user", "content": parts}


def fields(messages: Sequence[Any], **more: Any) -> dict[str, Any]:
    """A request with these messages."""
    return {
        "model": "vlm",
        "max_tokens": 4096,
        "temperature": 0,
        "top_p": 1,
        "messages": list(messages),
        "tools": [TOOL],
        "tool_choice": "auto",
        "stream": True,
        "stream_options": {"include_usage": True},
        **more,
    }


def body(messages: Sequence[Any], **more: Any) -> bytes:
    """Its bytes, as JSON.stringify writes them."""
    return json.dumps(fields(messages, **more), ensure_ascii=False, separators=(",", ":")).encode()
