"""Which of OpenCode's system prompts a model id gets, and how to tell that an attempt got that one.

The rule is that of OpenCode 1.17.11 (its function of the id on the wire, in this order). The digests were taken from
requests of real runs, and a test takes them again.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from harness.agents.opencode.config import PROVIDER
from harness.gateway.settings import DATE
from harness.store.canonical import JSON
from harness.store.digests import Digest, digest

DIFFERS: Final = "system-prompt-differs"  # the flag of a record
DEFAULT: Final = "default"

# Family -> what an id holds that belongs to it. The first match counts; only the last two take capital letters too.
_RULE: Final = (
    ("beast", re.compile("gpt-4|o1|o3")),
    ("codex", re.compile("gpt.*codex|codex.*gpt")),
    ("gpt", re.compile("gpt")),
    ("gemini", re.compile("gemini-")),
    ("claude", re.compile("claude")),
    ("trinity", re.compile("trinity", re.IGNORECASE)),
    ("kimi", re.compile("kimi", re.IGNORECASE)),
)

_DIGESTS: Final[Mapping[str, Digest]] = {
    "beast": Digest("924c40e7af6bebc538632af2a2cf6b5db333ccddeeae7fdb7e79cf72205e53df"),
    "codex": Digest("432d72e3441fc6f2bdd0949a738e7f40577ec3491f7d8726d07241b0ec238b35"),
    "gpt": Digest("db66f88fc008424eec8a46f2784eb7882b9c000032daa09063682a9ab930e254"),
    "gemini": Digest("df2a9f1d48e3a9c2ee0aef15f2972c418407ba9db050073cb69b255b970cd33c"),
    "claude": Digest("2c96ea03cecfddc1562295e0c6f62476faf2bd26af91960d9e8e426f21ecf106"),
    "trinity": Digest("f9e079aa3dd93d5baf8a8c0562585b7568be606c41f1936c3a12bdc900a6e73a"),
    "kimi": Digest("1870fa845ea15865ffa3a5ff140b8f9f019c54ac557294d6780e684b3df5a869"),
    DEFAULT: Digest("f2f6e394a78fe0279b855afba9a323866aad86a80ded078e2f4793fd8bb3cb70"),
}

_DATE_LINE: Final = re.compile(rf"(?<=^  Today's date: ){DATE}$", re.MULTILINE)


def family(model_id: str) -> str:
    """The family of a model id, as OpenCode sees it on the wire."""
    return next((name for name, pattern in _RULE if pattern.search(model_id)), DEFAULT)


def system_prompt(model_id: str) -> dict[str, JSON]:
    """What a run's manifest says of the system prompt: its family, and the digest of its text without id and date."""
    name = family(model_id)
    return {"family": name, "sha256": _DIGESTS[name]}


def differs(body: bytes) -> bool:
    """Whether a recorded request begins with another system prompt than its model id's."""
    try:
        value = json.loads(body)
        model_id, first = value["model"], value["messages"][0]
        system = first["content"] if first["role"] == "system" else ""
    except (ValueError, LookupError, TypeError, RecursionError):
        return True
    return prompt_digest(str(model_id), str(system)) != _DIGESTS[family(str(model_id))]


def prompt_digest(model_id: str, system: str) -> Digest:
    """The digest of a system prompt with the id and the date that it names taken out."""
    text = system.replace(_named(model_id), _named("ID"))
    return digest(_DATE_LINE.sub("DATE", text).encode("utf-8", "surrogatepass"))


def _named(model_id: str) -> str:
    return f"You are powered by the model named {model_id}. The exact model ID is {PROVIDER}/{model_id}\n"
