"""The policy and the judge of a run: the demo's scripted ones, or real endpoints."""

import math
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import attrs
import httpx

from harness.benchmarks.demo import server
from harness.errors import UpstreamError, UsageError
from harness.gateway import Policy, Secret
from harness.grading.judge import JudgeEndpoint
from harness.run.keys import key
from harness.run.known import SAMPLING
from harness.run.settings import Settings, chosen

PREFLIGHT_SECONDS = 30.0
OPENAI_HOST = "api.openai.com"


@attrs.frozen
class Endpoints:
    """Whom a run talks to."""

    policy: Policy
    judge: JudgeEndpoint
    judge_model: str


@asynccontextmanager
async def endpoints(settings: Settings) -> AsyncIterator[Endpoints]:
    """The endpoints of a run; the demo's are served until the block ends.

    With ``--demo`` the scripted ones stand in for those that no flag or file names; the environment doesn't count.
    Raises UsageError for what is missing, UpstreamError where the policy's limits can't be asked for.
    """
    if not settings["demo"]:
        yield Endpoints(await _policy(settings), _judge(settings, settings["judge_base_url"]), settings["judge_model"])
        return
    async with server.serve_policy() as policy_url, server.serve_judge() as judge_url:
        scripted = Policy(policy_url, server.POLICY_MODEL, None, {}, _output(settings, server.CONTEXT), server.CONTEXT)
        policy = await _policy(settings) if chosen(settings, "policy_base_url") else scripted
        if chosen(settings, "judge_base_url"):
            yield Endpoints(policy, _judge(settings, settings["judge_base_url"]), settings["judge_model"])
        else:
            yield Endpoints(policy, _judge_at(settings, judge_url, None), server.JUDGE_MODEL)


async def _policy(settings: Settings) -> Policy:
    for name in ("policy_base_url", "policy_model"):
        if settings[name] is None:
            raise UsageError(f"{name} is missing. Set ${name.upper()} or --{name.replace('_', '-')}, or use --demo.")
    secret = key(os.environ, ("POLICY_API_KEY",), settings["policy_api_key_file"])
    context = settings["context"] or await _context(settings["policy_base_url"], settings["policy_model"], secret)
    output = _output(settings, context)
    sampling = {name: settings[name] for name in SAMPLING if settings[name] is not None}
    if settings["max_tokens_field"] != "max_tokens":
        sampling[settings["max_tokens_field"]] = output
    return Policy(settings["policy_base_url"], settings["policy_model"], secret, sampling, output, context)


def _output(settings: Settings, context: int) -> int:
    """Where no output limit is set, a quarter of the context: what is left of it carries pictures and history."""
    return int(settings["max_output"] or max(1, math.floor(context / 4)))


def _judge(settings: Settings, url: str | None) -> JudgeEndpoint:
    if url is None:
        raise UsageError("judge_base_url is missing. Set $JUDGE_BASE_URL or --judge-base-url, or use --demo.")
    # OpenAI's own key goes to no other host.
    may = settings["send_openai_key"] or urlsplit(url).hostname == OPENAI_HOST
    variables = ("JUDGE_API_KEY", "OPENAI_API_KEY") if may else ("JUDGE_API_KEY",)
    return _judge_at(settings, url, key(os.environ, variables, settings["judge_api_key_file"]))


def _judge_at(settings: Settings, url: str, secret: Secret | None) -> JudgeEndpoint:
    return JudgeEndpoint(
        url,
        secret,
        timeout=settings["judge_timeout"],
        retries=settings["judge_attempts"] - 1,
        concurrency=settings["judge_concurrency"],
    )


async def _context(url: str, model: str, secret: Secret | None) -> int:
    headers = {"Authorization": f"Bearer {secret.reveal()}"} if secret else {}
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=PREFLIGHT_SECONDS) as client:
            answer = await client.get(f"{url}/models", headers=headers)
            answer.raise_for_status()
            entries = answer.json()["data"]
            lengths = [entry.get("max_model_len") for entry in entries if entry.get("id") == model]
    except httpx.HTTPStatusError as error:
        raise UpstreamError(
            f"The policy's {url}/models answered {error.response.status_code}. Give --context."
        ) from None
    except httpx.HTTPError as error:
        raise UpstreamError(f"The policy at {url} can't be reached: {type(error).__name__}.") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UpstreamError(f"The policy's {url}/models is no list of models. Give --context.") from None
    if not lengths:
        raise UsageError(f"The policy at {url} has no model {model!r}. Check --policy-model.")
    if not isinstance(lengths[0], int):
        raise UsageError(f"The policy at {url} doesn't say how long its context is. Give --context TOKENS.")
    return lengths[0]
