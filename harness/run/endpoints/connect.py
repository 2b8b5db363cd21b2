"""The policy and the judge of a run: the demo's scripted ones, real endpoints, or the record of another run."""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial

import attrs

from harness.benchmarks.demo import policy, server
from harness.benchmarks.demo.conversation import Conversation
from harness.benchmarks.demo.policy import Reply
from harness.errors import UsageError
from harness.gateway import GatewaySettings, Model, Policy, Secret, Sources, check_url, connected
from harness.grading.judge import JudgeEndpoint
from harness.run.endpoints import limits
from harness.run.endpoints.recorded import RecordedRun
from harness.run.settings.keys import key, variables
from harness.run.settings.recorded import CAPTURE
from harness.run.settings.resolve import Settings, chosen
from harness.run.settings.table import SAMPLING
from harness.store.canonical import JSON


@attrs.frozen(kw_only=True)
class Endpoints:
    """Whom a run talks to.

    With a ``record`` nobody but the ``judge``, and where that is None neither: the record has its replies. ``judge`` is
    None also where none is needed. ``notes`` are lines for people: where the policy's limits come from, what is not
    heeded.
    """

    policy: Model
    judge: JudgeEndpoint | None
    judge_model: str
    notes: tuple[str, ...]
    record: RecordedRun | None = None

    def sources(self, settings: GatewaySettings) -> Sources:
        """Who answers each sandbox."""
        if self.record is not None:
            return partial(self.record.source, settings=settings)
        policy = self.policy
        assert isinstance(policy, Policy), "without a record there is an endpoint"
        return lambda _task, _repeat: connected(policy, settings)

    @property
    def observed(self) -> dict[str, JSON]:
        """Where the policy is, for the record of a place and time."""
        if self.record is not None:
            return {"policy_base_url": None, "replay": self.record.observed}
        return {"policy_base_url": self.policy.base_url if isinstance(self.policy, Policy) else None}


@asynccontextmanager
async def endpoints(
    settings: Settings,
    record: RecordedRun | None = None,
    *,
    scripted: Callable[[Conversation], Reply] | None = None,
    judged: bool = True,
) -> AsyncIterator[Endpoints]:
    """The endpoints of a run, or the ``record`` in their place; the demo's are served until the block ends.

    The scripted ones of ``--demo`` and the record stand in for what no flag and no file names; the environment doesn't
    count then. ``scripted`` takes the place of the demo's own model; without ``judged`` there is no judge. Raises
    UsageError for what is missing, UpstreamError where the policy's limits can't be asked for.
    """
    if record is not None:
        yield _replayed(settings, record)
    elif settings["demo"]:
        answer = scripted or policy.reply
        async with server.serve_policy(scripted=answer) as policy_url, server.serve_judge() as judge_url:
            ends = await _demo(settings, policy_url, judge_url)
            yield ends if judged else attrs.evolve(ends, judge=None)
    else:
        judge = _judge(settings) if judged else None
        model, said = await _policy(settings)
        yield Endpoints(policy=model, judge=judge, judge_model=settings["judge_model"], notes=(said,))


@asynccontextmanager
async def judge_alone(settings: Settings, model: str) -> AsyncIterator[JudgeEndpoint]:
    """The judge of this name without a policy; the demo's is served where no flag and no file names an endpoint."""
    if model != server.JUDGE_MODEL or chosen(settings, "judge_base_url"):
        yield _judge(settings)
        return
    async with server.serve_judge() as url:
        yield _judge_at(settings, url, None)


def _replayed(settings: Settings, record: RecordedRun) -> Endpoints:
    output, context = settings["max_output"], settings["context"]
    policy = Model(
        model=settings["policy_model"], sampling=_sampling(settings, output), max_output=output, context=context
    )
    said = f"answers: from {record.path}, a record of {policy.model}; nobody is asked"
    return Endpoints(
        policy=policy,
        judge=_judge(settings) if chosen(settings, "judge_base_url") else None,
        judge_model=settings["judge_model"],
        notes=(said, *_not_heeded(settings)),
        record=record,
    )


async def _demo(settings: Settings, policy_url: str, judge_url: str) -> Endpoints:
    if chosen(settings, "policy_base_url"):
        policy, said = await _policy(settings)
    else:
        context, output, said = _limits(settings, limits.Told(limits.Limit(server.CONTEXT, "the demo's own")))
        policy = Policy(
            base_url=policy_url,
            model=server.POLICY_MODEL,
            api_key=None,
            sampling={},
            max_output=output,
            context=context,
        )
    own = chosen(settings, "judge_base_url")
    return Endpoints(
        policy=policy,
        judge=_judge(settings) if own else _judge_at(settings, judge_url, None),
        judge_model=settings["judge_model"] if own else server.JUDGE_MODEL,
        notes=(said, *_not_heeded(settings)),
    )


def _not_heeded(settings: Settings) -> Iterator[str]:
    """What the environment names, and the demo or a record stands in for."""
    for role in ("policy", "judge"):
        if settings[f"{role}_base_url"] is None or chosen(settings, f"{role}_base_url"):
            continue
        note = f"note: ${role.upper()}_BASE_URL is left alone: "
        if settings["policy"] is not None:
            yield f"{note}the {role}'s words are those of the record"
        else:
            yield f"{note}--demo has a scripted {role}; to take yours, give --{role}-base-url"


async def _policy(settings: Settings) -> tuple[Policy, str]:
    for name in ("policy_base_url", "policy_model"):
        if settings[name] is None:
            raise UsageError(f"{name} is missing. Set ${name.upper()} or --{name.replace('_', '-')}.")
    url, model = settings["policy_base_url"], settings["policy_model"]
    secret = key(os.environ, variables(settings)["policy"], settings["policy_api_key_file"])
    told = limits.Told() if settings["context"] else await limits.ask(url, model, secret)
    context, output, said = _limits(settings, told)
    sampling = _sampling(settings, output)
    policy = Policy(base_url=url, model=model, api_key=secret, sampling=sampling, max_output=output, context=context)
    return policy, said


def _sampling(settings: Settings, output: int) -> dict[str, JSON]:
    """Fields of each request, beside those that every request has."""
    sampling: dict[str, JSON] = {name: settings[name] for name in SAMPLING if settings[name] is not None}
    if settings["max_tokens_field"] != "max_tokens":
        sampling[settings["max_tokens_field"]] = output
    if settings["capture_tokens"]:
        sampling.update(CAPTURE)
    return sampling


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
    check_url(url, "judge")
    return _judge_at(settings, url, key(os.environ, variables(settings)["judge"], settings["judge_api_key_file"]))


def _judge_at(settings: Settings, url: str, secret: Secret | None) -> JudgeEndpoint:
    return JudgeEndpoint(
        url,
        secret,
        timeout=settings["judge_timeout"],
        retries=settings["judge_attempts"] - 1,
        concurrency=settings["judge_concurrency"],
    )
