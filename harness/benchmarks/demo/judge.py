"""The rule judge: reads the harness's own judging request and compares the two answers as texts."""

import json
import re
from typing import Final

from harness.benchmarks.demo.conversation import Conversation
from harness.benchmarks.demo.policy import Reply
from harness.grading.prompt import NOTHING_EXTRACTED
from harness.grading.string_match import string_match

# A block of material; what is inside can't hold the code, so the first end with the same code is its end.
_BLOCK: Final = re.compile(
    r"^BEGIN (?P<name>.+) (?P<code>[0-9a-f]{16})\n(?P<content>.*?)\nEND (?P=name) (?P=code)$", re.DOTALL | re.MULTILINE
)


def reply(talk: Conversation) -> Reply:
    """One JSON object with verdict and reason; plain words where the request is none of a judge's."""
    blocks = {match["name"]: match["content"] for match in _BLOCK.finditer(talk.prompt)}
    gold, extracted = blocks.get("reference answer"), blocks.get("extracted answer")
    if gold is None or extracted is None:
        return Reply("I only compare a reference answer with an extracted answer.")
    if extracted == NOTHING_EXTRACTED:
        return _verdict("different", "No answer was extracted.")
    if string_match(extracted, gold):
        return _verdict("equivalent", "Both texts say the same.")
    return _verdict("different", "The texts differ.")


def _verdict(verdict: str, reason: str) -> Reply:
    return Reply(json.dumps({"verdict": verdict, "reason": reason}))
