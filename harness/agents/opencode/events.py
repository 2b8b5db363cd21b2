"""Reading what OpenCode printed: one JSON event a line, in a file that the sandboxed side could write to as well.

Nothing here raises: whatever the bytes are, what can be read is read, and the rest is counted.
"""

import io
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from harness.gateway import Witness

# Of an error's text only this much is kept, in characters.
MESSAGE_MAX: Final = 2000

# OpenCode writes a few lines a step. A shell can put a hundred million into the file: no more than this are read.
LINES_MAX: Final = 100_000

# Nor more than so many values: an empty object costs 3 bytes of a line and 64 of memory. Base64 holds no such signs.
VALUES_MAX: Final = 1_000_000

# Nor a line of more bytes, once its images are left out: read as JSON it takes ten times as much memory.
LINE_MAX: Final = 4 << 20
# A run is only tried from its start: else a line of runs that are one sign too short would take hours.
_BASE64: Final = re.compile(rb"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{65536,}+={0,2}")

# A run has one session; a sandbox that writes more of them into its events is not followed without end.
SESSIONS_MAX: Final = 8
_SESSION: Final = re.compile(r"ses_[0-9A-Za-z]{1,60}")

_Object = Mapping[str, object]


@attrs.frozen
class Events:
    """What the events say happened.

    ``texts``, ``tool_calls`` (call ids) and ``reasons`` (the finish reason of each step) stand in the order of the
    file; ``sessions`` are OpenCode's ids, each once; ``errors`` are ``name: message``. ``unreadable`` counts the lines
    that are no event, of the first `LINES_MAX`; ``torn`` is true where the last line of the file has no end.
    """

    texts: tuple[str, ...] = ()
    tool_calls: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    unreadable: int = 0
    torn: bool = False

    @property
    def witness(self) -> Witness:
        """What they show of the conversation: the second witness beside the gateway's record."""
        return Witness(self.texts, self.tool_calls)


def parse(data: bytes) -> Events:
    """Read ``events.jsonl``, however damaged."""
    found, unreadable, values = list[_Object](), 0, 0
    lines = (line for line in itertools.islice(io.BytesIO(data), LINES_MAX) if line.strip())
    for line in map(_shortened, lines):
        values += sum(map(line.count, (b"{", b"[", b",")))
        event = _event(line) if values <= VALUES_MAX and len(line) <= LINE_MAX else None
        if event is None:
            unreadable += 1
        else:
            found.append(event)
    return _events(found, unreadable, torn=bool(data) and not data.endswith(b"\n"))


def _events(events: Sequence[_Object], unreadable: int, *, torn: bool) -> Events:
    parts = [(event.get("type"), part) for event in events if isinstance(part := event.get("part"), dict)]
    return Events(
        texts=tuple(_strings(parts, "text", "text")),
        tool_calls=tuple(_strings(parts, "tool_use", "callID")),
        reasons=tuple(_strings(parts, "step_finish", "reason")),
        sessions=_sessions(events),
        errors=tuple(str(event["error"]) for event in events if event.get("type") == "error"),
        unreadable=unreadable,
        torn=torn,
    )


def _shortened(line: bytes) -> bytes:
    """A long line without its images, which nobody here looks at."""
    return line if len(line) <= LINE_MAX else _BASE64.sub(b"", line)


def _event(line: bytes) -> _Object | None:
    try:
        value = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):  # also integers of more digits than Python converts
        return None
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return None
    part = value.get("part")
    # All else of an event, an image that a tool read say, is let go of at once.
    return {
        "type": value["type"],
        "sessionID": value.get("sessionID"),
        "part": {name: part.get(name) for name in ("text", "callID", "reason")} if isinstance(part, dict) else None,
        "error": _error(value.get("error")),
    }


def _strings(parts: Sequence[tuple[object, _Object]], event_type: str, field: str) -> Iterator[str]:
    for found, part in parts:
        if found == event_type and isinstance(value := part.get(field), str):
            yield value


def _sessions(events: Sequence[_Object]) -> tuple[str, ...]:
    ids = dict.fromkeys(found for event in events if isinstance(found := event.get("sessionID"), str))
    return tuple(found for found in ids if _SESSION.fullmatch(found))[:SESSIONS_MAX]


def _error(error: object) -> str:
    if not isinstance(error, dict):
        return "unknown"
    data = error.get("data")
    message = data.get("message") if isinstance(data, dict) else None
    name = error.get("name")
    shown = [text for text in (name, message) if isinstance(text, str)]
    return ": ".join(shown)[:MESSAGE_MAX] or "unknown"
