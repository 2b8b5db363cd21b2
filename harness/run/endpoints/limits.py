"""The policy's context length and output limit, as its endpoint's list of models tells them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs
import httpx

from harness.errors import UpstreamError, UsageError
from harness.gateway import Secret, check_url
from harness.gateway.failures import of_response
from harness.run.endpoints.hints import hint

SECONDS: Final = 30.0
LARGEST_LIST: Final = 16 << 20  # bytes; the list of a router with hundreds of models has about one million
MOST_TOKENS: Final = 10**9  # whatever says that its context is longer than that is mistaken
_WORDS: Final = 300  # characters of an endpoint's words that are shown

# Where servers say how many tokens a request may have. Not taken: llama.cpp's meta.n_ctx_train, which is what the
# model was trained with and not what is served.
CONTEXT_FIELDS: Final = (
    "max_model_len",  # vLLM, SGLang
    "context_length",  # OpenRouter, Together
    "context_window",  # Groq
    "max_context_length",  # Mistral
)
# The most tokens of one answer; the second is OpenRouter's, of the provider that it would choose.
OUTPUT_FIELDS: Final = ("max_completion_tokens", "top_provider.max_completion_tokens")


@attrs.frozen
class Limit:
    """A number of tokens and the field that it stood in."""

    tokens: int
    field: str


@attrs.frozen
class Told:
    """What an endpoint says of a model; None where it says nothing."""

    context: Limit | None = None
    output: Limit | None = None


async def ask(url: str, model: str, secret: Secret | None) -> Told:
    """Ask ``url``/models about a model.

    Raises UsageError where the endpoint refuses, has no such model, or says something that can't be; UpstreamError
    where it can't be reached or is in trouble.
    """
    check_url(url, "policy")  # before it stands in a message
    where = f"The policy's {url}/models"
    status, body = await _get(url, secret)
    if status != 200:
        words = of_response(status, body).words
        said = f"{where} answered {status}{f' ({words[:_WORDS]})' if words else ''}."
        if status in {401, 403}:
            raise UsageError(f"{said} Check the key: POLICY_API_KEY or --policy-api-key-file.")
        if status >= 500 or status == 429:
            raise UpstreamError(f"{said} Try again later, or give --context.")
        raise UsageError(f"{said} Check --policy-base-url: it mostly ends with /v1. If it is right: --context TOKENS.")
    try:
        entries = json.loads(body)["data"]
        named = [entry for entry in entries if entry["id"] == model]
        names = [str(entry["id"])[:100] for entry in entries]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(f"{where} is no list of models. Check --policy-base-url, or give --context TOKENS.") from None
    if not named:
        has = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "") if names else "none"
        raise UsageError(f"The policy at {url} has no model {model!r}. Check --policy-model. It has: {has}")
    return read(named[0])


def read(entry: Mapping[str, Any]) -> Told:
    """The limits in one entry of a list of models; raises UsageError for a number that can't be."""
    return Told(_first(entry, CONTEXT_FIELDS, "--context"), _first(entry, OUTPUT_FIELDS, "--max-output"))


def _first(entry: Mapping[str, Any], fields: Sequence[str], option: str) -> Limit | None:
    for field in fields:
        value: Any = entry
        for part in field.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if value is None:
            continue
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= MOST_TOKENS:
            raise UsageError(f"The policy's list of models says {field}: {_short(value)}. Give {option} TOKENS.")
        return Limit(value, field)
    return None


def _short(value: object) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number with thousands of digits
        return "a value that can't be"
    return text if len(text) <= 60 else f"{text[:40]}... ({len(text)} characters)"


async def _get(url: str, secret: Secret | None) -> tuple[int, bytes]:
    headers = {"Authorization": f"Bearer {secret.reveal()}"} if secret else {}
    body = bytearray()
    try:
        # The gateway's trust in certificates, which takes a while to load; no proxy and no .netrc of the environment.
        trust = httpx.create_ssl_context() if url.startswith("https:") else False
        async with (
            httpx.AsyncClient(trust_env=False, verify=trust, timeout=SECONDS) as client,
            client.stream("GET", f"{url}/models", headers=headers, follow_redirects=False) as answer,
        ):
            async for chunk in answer.aiter_bytes():
                body += chunk
                if len(body) > LARGEST_LIST:
                    raise UsageError(
                        f"The policy's {url}/models is larger than {LARGEST_LIST >> 20} MiB: give --context."
                    )
            if secret:
                secret.blank(body)  # before anybody reads it
            return answer.status_code, bytes(body)
    except httpx.InvalidURL:
        raise UsageError(f"{url!r} is no web address.") from None
    except (httpx.HTTPError, OSError, UnicodeError) as error:
        why = str(error) or type(error).__name__
        why = secret.redact(why) if secret else why
        raise UpstreamError(
            f"The policy at {url} can't be reached: {why[:_WORDS]}.{hint(None, why, 'policy')}"
        ) from None
