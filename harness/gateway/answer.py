"""A model's response, read from its bytes as OpenCode reads them (@ai-sdk/openai-compatible in 1.17.11)."""

import json
from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from harness.gateway.deltas import Calls
from harness.gateway.messages import ToolCall
from harness.gateway.sse import DONE, events
from harness.gateway.texts import join_halves
from harness.gateway.tokens import Gathered

_ERROR_MAX: Final = 20_000

# Of one chunk, or of an answer that is no stream: the bytes, and the marks between values (each value takes some 60
# bytes of memory). An answer of 50,000 tokens with log-probabilities has half as many.
_CHUNK_MAX: Final = 16 * 1024 * 1024
_MARKS_MAX: Final = 1_000_000
_BLANKS_MAX: Final = 1024  # bytes before an object


@attrs.frozen
class Usage:
    """Tokens as the endpoint counted them; None where it said nothing."""

    prompt: int | None = None
    completion: int | None = None
    reasoning: int | None = None
    cached: int | None = None


@attrs.frozen
class Answer:
    """What one response said.

    ``text`` may hold lone surrogates. ``token_ids`` and ``logprobs`` (natural logarithms of the chosen tokens'
    probabilities) are empty unless the endpoint gives them, and where a piece of them can't be read. ``done`` is true
    where the response came to its end; ``error`` holds an error object that stood in it, as JSON.
    """

    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    usage: Usage = Usage()
    token_ids: tuple[int, ...] = attrs.field(default=(), repr=False)
    logprobs: tuple[float, ...] = attrs.field(default=(), repr=False)
    prompt_token_ids: tuple[int, ...] = attrs.field(default=(), repr=False)
    upstream_id: str | None = None
    model: str | None = None
    error: str | None = None
    done: bool = False

    @property
    def whole(self) -> bool:
        """Whether it is a complete answer that an agent can work with."""
        return self.done and self.error is None and self.finish_reason is not None

    @property
    def texts(self) -> tuple[str, ...]:
        """All that it says."""
        calls = (text for call in self.tool_calls for text in (call.id, call.name, call.arguments))
        return (self.text, self.reasoning, *calls, self.upstream_id or "", self.model or "", self.finish_reason or "")

    @property
    def has_tokens(self) -> bool:
        """Whether all its tokens are there: as many ids as log-probabilities and as the endpoint counted, if it did.

        Some versions of vLLM leave tokens of tool calls out of their streams, ids and log-probabilities alike.
        """
        counts = {len(self.token_ids), len(self.logprobs), self.usage.completion or len(self.token_ids)}
        return bool(self.prompt_token_ids and self.token_ids) and len(counts) == 1


def read(data: bytes) -> Answer:
    """The answer in a response body: an event stream or one JSON object; never raises."""
    if is_object(data):
        return _read_chunks([_object(data.decode("utf-8", "replace"))], "message", done=True)
    chunks = (_object(text) for text in events(data) if text != DONE)
    return _read_chunks(chunks, "delta", done=DONE in events(data))


def is_object(data: bytes) -> bool:
    """Whether a response body is one JSON object, rather than an event stream."""
    return data[:_BLANKS_MAX].lstrip()[:1] == b"{"


def _read_chunks(chunks: Iterable[Mapping[str, object]], key: str, *, done: bool) -> Answer:
    text: list[str] = []
    reasoning: list[str] = []
    calls = Calls()
    usage, finish, error = Usage(), None, None
    about: dict[str, str] = {}
    tokens = Gathered()
    for chunk in chunks:
        error = error or _error(chunk)
        for name in ("id", "model"):
            if isinstance(value := chunk.get(name), str):
                about.setdefault(name, value)
        if isinstance(counted := chunk.get("usage"), dict):
            usage = _usage(counted)
        choice = _first(chunk.get("choices"))
        finish = _text(choice.get("finish_reason")) or finish
        tokens.add(chunk, choice)
        delta = _mapping(choice.get(key))
        text.append(_text(delta.get("content")))
        # "reasoning" only counts where there is no "reasoning_content", be it empty.
        thought = delta.get("reasoning_content")
        reasoning.append(_text(delta.get("reasoning") if thought is None else thought))
        calls.add(delta.get("tool_calls"))
    return Answer(
        text=join_halves("".join(text)),
        reasoning=join_halves("".join(reasoning)),
        tool_calls=calls.made(),
        finish_reason=finish,
        usage=usage,
        token_ids=tokens.ids(),
        logprobs=tokens.logprobs(),
        prompt_token_ids=tokens.prompt(),
        upstream_id=about.get("id"),
        model=about.get("model"),
        error=error or calls.trouble,
        done=done,
    )


def _object(text: str) -> Mapping[str, object]:
    if len(text) > _CHUNK_MAX or sum(map(text.count, "[{,")) > _MARKS_MAX:
        return {"error": {"message": "a chunk is too large"}}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # ValueError: also integers of more digits than Python converts
        return {"error": {"message": f"a chunk is no JSON: {text[:200]!r}"}}
    return value if isinstance(value, dict) else {"error": {"message": f"a chunk is no object: {text[:200]!r}"}}


def _error(chunk: Mapping[str, object]) -> str | None:
    error = chunk.get("error")
    try:
        return None if error is None else json.dumps(error)[:_ERROR_MAX]
    except RecursionError:  # just not too deep to be read
        return '"an error object that is nested too deeply"'


def _usage(counted: Mapping[str, object]) -> Usage:
    return Usage(
        prompt=_count(counted.get("prompt_tokens")),
        completion=_count(counted.get("completion_tokens")),
        reasoning=_count(_mapping(counted.get("completion_tokens_details")).get("reasoning_tokens")),
        cached=_count(_mapping(counted.get("prompt_tokens_details")).get("cached_tokens")),
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _first(choices: object) -> Mapping[str, object]:
    return _mapping(choices[0]) if isinstance(choices, list) and choices else {}
