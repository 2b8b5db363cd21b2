"""What to do about the refusals of well-known servers."""

import re
from typing import Final, Literal

# What a server says -> what helps. Looked at in this order; the first one counts.
_TRUST: Final = (
    r"certificate.verify.failed|self.signed",
    "Name the certificates of the endpoint's house: SSL_CERT_FILE=/path/to/ca.pem.",
)
_MODEL: Final = (
    r"model.{0,80}(?:not exist|not found|unknown)|no such model|only the model|invalid model",
    "Check {role}_model.",
)
_POLICY: Final = (
    (
        r"auto.?tool.?choice|tool.call.parser",
        "vLLM: start the server with --enable-auto-tool-choice --tool-call-parser NAME.",
    ),
    (
        r"(?:not|n't) support (?:tool|function)|tools? (?:is|are) not supported|tool calling is not",
        "The agent works with tools: the model must be served with tool calling.",
    ),
    (r"max_completion_tokens", "Set --max-tokens-field max_completion_tokens."),
    (
        r"max_tokens|max_new_tokens|output tokens|completion tokens",
        "Set --max-output to what the endpoint allows, and --context to its context.",
    ),
    (r"limit.mm.per.prompt|at most \d+ (?:image|multi)", "vLLM: allow a prompt many images: --limit-mm-per-prompt."),
    (
        r"not a multimodal|n.t support (?:image|vision|multi)|image.{0,40}not supported|image_url|mmproj|vision",
        "The policy must be a model that reads pictures, served so that it can.",
    ),
    (r"temperature|top_p|top_k|min_p|penalty|\bseed\b|reasoning_effort", "Leave out the sampling that it names."),
)
_JUDGE: Final = (
    (r"max_completion_tokens", "Set --judge-max-tokens-field max_completion_tokens."),
    (r"max_tokens", "Set --judge-max-tokens to what the endpoint allows."),
    (r"temperature|top_p", "Leave out what it names: --judge-temperature none, --judge-top-p none."),
)


def hint(status: int | None, words: str, role: Literal["policy", "judge"]) -> str:
    """A sentence to add to a refusal, with a space before it; empty where nothing is known."""
    if status in {401, 403}:
        return f" Check the key: {role.upper()}_API_KEY or --{role}-api-key-file."
    known: tuple[tuple[str, str], ...] = _POLICY if role == "policy" else _JUDGE
    for pattern, text in (*known, _MODEL, _TRUST):
        if re.search(pattern, words, re.IGNORECASE | re.DOTALL):
            return " " + text.format(role=role)
    return f" Check {role}_base_url: it ends before /chat/completions, mostly with /v1." if status in {404, 405} else ""
