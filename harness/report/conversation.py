"""A rollout's conversation as a list of turns: what the model was given, what it said, what its tools returned.

It is read from the calls on the chain alone. What the model said comes from the endpoint's own answers, all else from
the last request on the chain, which repeats the whole talk. (Where OpenCode repeats an answer it writes some of it
anew: arguments, names and ids of tool calls.)

Texts are as they came: they may hold lone surrogates, control characters, megabytes. Show them through
`harness.report.words.plain`, write them through `harness.store.canonical.escape_surrogates`.
"""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import attrs

from harness.agents.task import image_suffix
from harness.errors import StoreCorruptError, UsageError
from harness.gateway.answer import Answer, read
from harness.gateway.fields import Refused
from harness.gateway.images import Image
from harness.gateway.messages import Message, ToolCall, read_message
from harness.gateway.strictjson import MalformedError, loads
from harness.store.blobs import Blobs
from harness.store.canonical import JSON
from harness.store.digests import Digest, parse_digest
from harness.store.record import AttemptRecord
from harness.store.replay import Replay


@attrs.frozen
class Picture:
    """An image: SHA-256 of its bytes, and the ``data:image/TYPE;base64,...`` URL that holds them."""

    sha256: Digest
    url: str = attrs.field(repr=False)

    @property
    def media_type(self) -> str:
        """Such as ``image/png``."""
        return self.url.partition(";")[0].removeprefix("data:")

    def data(self) -> bytes:
        """The image's bytes."""
        return base64.b64decode(self.url.partition(",")[2])


Part: TypeAlias = str | Picture


@attrs.frozen(kw_only=True)
class Turn:
    """One message. ``parts`` are its texts and images in order.

    ``assistant``: ``call`` is the number of the record's call, ``answer`` all that the endpoint said, with the
    reasoning and the tool calls. ``tool``: ``tool_call_id`` is the id that the model gave its call, ``tool`` the name
    that it called. An image that a tool returned stands in a ``user`` turn after it, as OpenCode sends it.
    """

    role: Literal["system", "user", "assistant", "tool"]
    parts: tuple[Part, ...]
    call: int | None = None
    answer: Answer | None = attrs.field(default=None, repr=False)
    tool_call_id: str = ""
    tool: str = ""

    @property
    def text(self) -> str:
        """All its text."""
        return "".join(part for part in self.parts if isinstance(part, str))

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """All its images, in order."""
        return tuple(part for part in self.parts if isinstance(part, Picture))

    @property
    def reasoning(self) -> str:
        """What the model thought before it spoke, where the endpoint shows it."""
        return self.answer.reasoning if self.answer else ""

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tools that the model called."""
        return self.answer.tool_calls if self.answer else ()


def conversation(record: AttemptRecord, blobs: Blobs) -> tuple[Turn, ...]:
    """The turns of an attempt, up to the last whole answer on the chain.

    Where the model never answered, the one turn that it was to be given: the prompt's images and its text.

    Raises:
        StoreCorruptError: a body can't be read back, or is no talk that the gateway would have let through.
    """
    return turns(Replay(record, blobs))


def turns(replay: Replay) -> tuple[Turn, ...]:
    """The same, of a record whose bodies are being read for something else as well."""
    record, chain = replay.record, replay.record.content.chain
    if not chain:
        return (prompt(record, replay.blobs),)
    given = _given(record, replay.request(chain[-1]))
    said = iter(list(zip(chain, answers(replay), strict=True)))
    found: list[Turn] = []
    for turn in given:
        found.append(_said(record, said) if turn.role == "assistant" else _named(turn, found))
    found.append(_said(record, said))
    if next(said, None) is not None:
        raise _odd(record, "its last request repeats fewer answers than there are")
    return tuple(found)


def answers(replay: Replay) -> tuple[Answer, ...]:
    """What the model said on the chain, in order; raises StoreCorruptError."""
    return tuple(read(replay.answer(index)) for index in replay.record.content.chain)


def tools(replay: Replay) -> tuple[Mapping[str, JSON], ...]:
    """The tools that the chain's first request offers, as it names them; raises StoreCorruptError."""
    chain = replay.record.content.chain
    value = _request(replay.record, replay.request(chain[0])) if chain else {}
    offered = value.get("tools")
    return tuple(tool for tool in offered if isinstance(tool, Mapping)) if isinstance(offered, list) else ()


def prompt(record: AttemptRecord, blobs: Blobs) -> Turn:
    """What the agent is asked with: the task's images and its prompt; raises StoreCorruptError."""
    pictures = [_picture(record, image.blob, blobs.get(image.blob)) for image in record.content.images]
    return Turn(role="user", parts=(*pictures, blobs.get(record.content.prompt).decode("utf-8", "replace")))


def _picture(record: AttemptRecord, name: Digest, data: bytes) -> Picture:
    try:
        kind = image_suffix(data).replace("jpg", "jpeg")
    except UsageError as error:
        raise _odd(record, f"its image {name} is none ({error})") from error
    return Picture(name, f"data:image/{kind};base64,{base64.b64encode(data).decode()}")


def _given(record: AttemptRecord, body: bytes) -> list[Turn]:
    """The messages of a request; those of the assistant stand for answers, and have no parts."""
    messages = _request(record, body).get("messages")
    if not isinstance(messages, list):
        raise _odd(record, "a request on its chain has no messages")
    try:
        return [_turn(message, read_message(message)) for message in messages]
    except Refused as error:
        raise _odd(record, f"a request on its chain is none ({error})") from error


def _request(record: AttemptRecord, body: bytes) -> Mapping[str, JSON]:
    try:
        value = loads(body)
    except MalformedError as error:
        raise _odd(record, f"a request on its chain is none ({error})") from error
    return value if isinstance(value, Mapping) else {}


def _turn(value: JSON, message: Message) -> Turn:
    match message.role:
        case "assistant":
            return Turn(role="assistant", parts=())
        case "tool":
            return Turn(role="tool", parts=tuple(_parts(value, message)), tool_call_id=message.tool_call_id)
        case role:
            return Turn(role="system" if role == "system" else "user", parts=tuple(_parts(value, message)))


def _parts(value: JSON, message: Message) -> Iterator[Part]:
    assert isinstance(value, Mapping), "the message was read"
    content = value["content"]
    raw: Sequence[JSON] = content if isinstance(content, list) else [None]
    for part, read_part in zip(raw, message.parts, strict=True):
        match read_part, part:
            case Image(sha256=sha256), {"image_url": {"url": str(url)}}:
                yield Picture(parse_digest(sha256), url)
            case str(text), _:
                yield text


def _said(record: AttemptRecord, said: Iterator[tuple[int, Answer]]) -> Turn:
    call, answer = next(said, (None, None))
    if answer is None:
        raise _odd(record, "its last request repeats more answers than there are")
    return Turn(role="assistant", parts=(answer.text,) if answer.text else (), call=call, answer=answer)


def _named(turn: Turn, before: Sequence[Turn]) -> Turn:
    """A tool's turn with the id and the name of the model's call that it answers."""
    if turn.role != "tool":
        return turn
    calls = next((said.tool_calls for said in reversed(before) if said.role == "assistant"), ())
    # Where the model id reads like Claude's, OpenCode writes ids anew.
    wanted = turn.tool_call_id
    found = next((call for call in calls if wanted in (call.id, re.sub(r"[^a-zA-Z0-9_-]", "_", call.id))), None)
    return turn if found is None else attrs.evolve(turn, tool_call_id=found.id, tool=found.name)


def _odd(record: AttemptRecord, what: str) -> StoreCorruptError:
    content = record.content
    return StoreCorruptError(
        f"The record of task {content.task!r}, repeat {content.repeat}, holds no conversation: {what}."
    )
