"""What the gateway changes in a request: the date in the recorded body, and the fields that go upstream."""

import json
import re
from collections.abc import Mapping
from typing import Final

from harness.gateway.pictures import NONE, Pictures
from harness.gateway.policy import Policy
from harness.gateway.settings import DATE
from harness.gateway.texts import well_formed
from harness.store.canonical import JSON

_DATE_LINE: Final = re.compile(rf"(?<=Today's date: ){DATE}$", re.MULTILINE)
_SYSTEM_MAX: Final = 4  # messages; OpenCode 1.17.11 sends one
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

# Sampling that an agent may ask for and that is dropped: only the policy's own goes upstream.
DROPPED: Final = (
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "stop",
    "n",
    "reasoning_effort",
    "verbosity",
)
_KEPT: Final = ("messages", "tools", "tool_choice")


def pin_date(body: bytes, value: Mapping[str, JSON], date: str) -> tuple[bytes, Mapping[str, JSON]]:
    """The body and its value with the date in the system prompt replaced; both are as they were if there is none.

    The new date is as long as the old one, so that nothing else moves. The system prompt is what stands first.
    """
    messages = value.get("messages")
    pinned: list[JSON] = []
    # Each replacement reads the whole body: so only as many as OpenCode may need, and not as a shell may send.
    for place, message in enumerate(messages if isinstance(messages, list) else ()):
        if place >= _SYSTEM_MAX:
            pinned.append(message)
            continue
        old = message.get("content") if isinstance(message, Mapping) and message.get("role") == "system" else None
        if not isinstance(message, Mapping) or not isinstance(old, str) or not _DATE_LINE.search(old):
            pinned.append(message)
            continue
        new = _DATE_LINE.sub(date, old)
        if new != old and _written(old) not in body:
            # Somebody else's way to escape: write the whole body again in OpenCode's.
            body = _written(value)
        body = body.replace(_written(old), _written(new), 1)
        pinned.append({**message, "content": new})
    return body, {**value, "messages": pinned} if pinned else value


def upstream_body(value: Mapping[str, JSON], policy: Policy, pictures: Pictures = NONE) -> bytes:
    """The bytes that go to the endpoint for an allowed request: the real model name, the policy's sampling and limit.

    The key is not in it; the pictures that were taken out of the value are. Lone surrogates become U+FFFD: many servers
    fail on them, and which text an agent's tools printed must not look like an endpoint in trouble.
    """
    sent: dict[str, JSON] = {"model": policy.model}
    sent |= {name: value[name] for name in _KEPT if name in value}
    if "max_completion_tokens" not in policy.sampling:
        sent["max_tokens"] = policy.max_output
    sent |= policy.sampling
    sent["stream"] = value.get("stream", False)
    if sent["stream"]:
        sent["stream_options"] = {"include_usage": True}
    text = json.dumps(sent, ensure_ascii=False, separators=(",", ":"))
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = well_formed(text).encode()
    return pictures.put_back(data)


def _written(value: JSON) -> bytes:
    """JSON as JavaScript's JSON.stringify writes it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()
