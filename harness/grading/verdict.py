"""Reading what the judge itself said, by a strict grammar: nothing is guessed, nothing else is searched for."""

import json
import re
from typing import Any, Literal, get_args

import attrs

from harness.errors import CanonicalError, JudgeUnparseableError
from harness.store.canonical import loads_strict

Word = Literal["equivalent", "different", "unsure"]

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL)


@attrs.frozen
class Verdict:
    """The judge's verdict and its short reason."""

    verdict: Word
    reason: str


def reply_text(body: str) -> str:
    """The text of the one choice in a chat completion; raises JudgeUnparseableError for anything else.

    A ``reasoning_content`` beside the text is none of it. Bytes of the body that are no UTF-8 are lone surrogates here.
    """
    try:
        body.encode("utf-8")
        value = json.loads(body, object_pairs_hook=_object)
    except UnicodeEncodeError:
        raise JudgeUnparseableError("The judge's answer is no UTF-8.") from None
    except (ValueError, RecursionError) as error:
        raise JudgeUnparseableError(f"The judge's answer is no JSON: {error}.") from error
    match value:
        case {"choices": [{"message": {"content": str(text)} as message} as choice]}:
            if choice.get("finish_reason") not in ("stop", None):
                raise JudgeUnparseableError(f"The judge's reply did not end by itself ({choice['finish_reason']!r}).")
            if message.get("refusal") or message.get("tool_calls"):
                raise JudgeUnparseableError("The judge's reply is a refusal or a call of tools beside its text.")
            return text
        case _:
            raise JudgeUnparseableError("The judge's answer is no chat completion with one choice and a text.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return value


def parse(text: str) -> Verdict:
    """Read a reply: exactly one JSON object ``{"verdict", "reason"}``, bare or in one fenced block, and nothing else.

    Raises JudgeUnparseableError.
    """
    fenced = _FENCED.fullmatch(text.strip())
    try:
        value = loads_strict((fenced[1] if fenced else text).encode("utf-8"))
    except (CanonicalError, UnicodeEncodeError) as error:
        raise JudgeUnparseableError(f"The judge's reply is not one JSON object: {error}") from error
    match value:
        case {"verdict": str(verdict), "reason": str(reason), **rest} if verdict in get_args(Word) and not rest:
            return Verdict(verdict, reason)  # type: ignore[arg-type]
        case _:
            raise JudgeUnparseableError(
                "The judge's reply is not {verdict, reason} with a verdict that it was told of."
            )
