"""The policy and the judge of a run: the demo's scripted ones, or real endpoints."""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import attrs

from harness.benchmarks.demo import server
from harness.errors import UsageError
from harness.gateway import Policy, Secret
from harness.grading.judge import JudgeEndpoint
from harness.run.endpoints import limits
from harness.run.settings.keys import key
from harness.run.settings.resolve import Settings, chosen
from harness.run.settings.table import SAMPLING

OPENAI_HOST = "api.openai.com"


@attrs.frozen
class Endpoints:
    """Whom a run talks to; ``notes`` are lines for people: where the policy's limits come from, what is not heeded."""

    policy: Policy
    judge: JudgeEndpoint
    judge_model: str
    notes: tuple[str, ...]


@asynccontextmanager
async def endpoints(settings: Settings) -> AsyncIterator[Endpoints]:
    """The endpoints of a run; the demo's are served until the block ends.

    With ``--demo`` the scripted ones stand in for those that no flag or file names; the environment doesn't count.
    Raises UsageError for what is missing, UpstreamError where the policy's limits can't be asked for.
    """
    if not settings["demo"]:
        judge = _judge(settings)
        policy, said = await _policy(settings)
        yield Endpoints(policy, judge, settings["judge_model"], (said,))
        return
    async with server.serve_policy() as policy_url, server.serve_judge() as judge_url:
        if chosen(settings, "policy_base_url"):
            policy, said = await _policy(settings)
        else:
            context, output, said = _limits(settings, limits.Told(limits.Limit(server.CONTEXT, "the demo's own")))
            policy = Policy(policy_url, server.POLICY_MODEL, None, {}, output, context)
        notes = (said, *_not_heeded(settings))
        if chosen(settings, "judge_base_url"):
            yield Endpoints(policy, _judge(settings), settings["judge_model"], notes)
        else:
            yield Endpoints(policy, _judge_at(settings, judge_url, None), server.JUDGE_MODEL, notes)


def _not_heeded(settings: Settings) -> Iterator[str]:
    """What the environment names and the demo has of its own."""
    for role in ("policy", "judge"):
        if settings[f"{role}_base_url"] is not None and not chosen(settings, f"{role}_base_url"):
            yield (
                f"note: --demo has a scripted {role} and leaves ${role.upper()}_BASE_URL alone; to take yours, give "
                f"--{role}-base-url"
            )


async def _policy(settings: Settings) -> tuple[Policy, str]:
    for name in ("policy_base_url", "policy_model"):
        if settings[name] is None:
            raise UsageError(f"{name} is missing. Set ${name.upper()} or --{name.replace('_', '-')}.")
    url, model = settings["policy_base_url"], settings["policy_model"]
    secret = key(os.environ, ("POLICY_API_KEY",), settings["policy_api_key_file"])
    told = limits.Told() if settings["context"] else await limits.ask(url, model, secret)
    context, output, said = _limits(settings, told)
    sampling = {name: settings[name] for name in SAMPLING if settings[name] is not None}
    if settings["max_tokens_field"] != "max_tokens":
        sampling[settings["max_tokens_field"]] = output
    return Policy(url, model, secret, sampling, output, context), said


def _limits(settings: Settings, told: limits.Told) -> tuple[int, int, str]:
    """Context and output limit in tokens, and a line that says where they come from."""
    if settings["context"]:
        context, context_from = settings["context"], "--context"
    elif told.context:
        context, context_from = told.context.tokens, told.context.field
    else:
        raise UsageError("The policy's endpoint doesn't say how long its context is. Give --context TOKENS.")
    # Where nothing says more, a quarter of the context: what is left of it carries pictures and history.
    quarter = max(1, context // 4)
    if settings["max_output"]:
        output, output_from = settings["max_output"], "--max-output"
    elif told.output and told.output.tokens < quarter:
        output, output_from = told.output.tokens, told.output.field
    else:
        output, output_from = quarter, "a quarter of the context"
    return context, output, f"context: {context} tokens ({context_from}); output: at most {output} ({output_from})"


def _judge(settings: Settings) -> JudgeEndpoint:
    url = settings["judge_base_url"]
    if url is None:
        raise UsageError("judge_base_url is missing. Set $JUDGE_BASE_URL or --judge-base-url.")
    # OpenAI's own key goes to no other host unless a person says so.
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
