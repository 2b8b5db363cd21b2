"""Preflight: one small call to the policy and two to the judge, before the first attempt costs anything."""

import asyncio
import base64
import io
import re
from collections.abc import Callable
from typing import Final

import attrs

from harness.errors import JudgeError, JudgeUnparseableError, UpstreamError, UsageError
from harness.gateway import Answer, Failure, GatewaySettings, Policy, printed_parts
from harness.gateway.exchange import Exchange
from harness.gateway.rewrite import upstream_body
from harness.gateway.upstream import Upstream
from harness.grading import judge as judging
from harness.grading import prompt
from harness.grading.judge import Judge, JudgeEndpoint
from harness.grading.prompt import JudgeSettings
from harness.grading.score import read_call
from harness.grading.verdict import Verdict, reply_text
from harness.run.endpoints.hints import hint
from harness.run.settings.recorded import CAPTURE
from harness.store.canonical import JSON

Say = Callable[[str], None]

QUESTION: Final = "What colour is this picture? Answer with one word."
COLOUR: Final = "red"
SIDE: Final = 64  # pixels; some servers refuse pictures that are smaller than a few of the model's patches
# Seconds. A try without a byte for so long is given up; an answer that comes is waited for no longer than that.
SILENCE: Final = 120.0
ANSWER: Final = 60.0
SHOWN: Final = 400  # characters of an endpoint's words


async def policy(policy: Policy, settings: GatewaySettings, say: Say) -> None:
    """Send the policy a small picture and a question, in the form that an attempt's calls have.

    That is: streaming, with a tool, the sampling and the output limit of the run. Raises UsageError where it refuses
    or lacks the tokens that were asked for, UpstreamError where it can't be reached or is in trouble; what only looks
    odd is said.
    """
    settings = attrs.evolve(settings, stall=min(settings.stall, SILENCE))
    exchange = Exchange()
    async with Upstream(policy, settings) as upstream:
        asking = asyncio.create_task(
            upstream.complete(upstream_body(request(), policy), stream=True, exchange=exchange)
        )
        result = await _answered(asking, exchange)
    if isinstance(result, Failure):
        raise _refusal(policy, result)
    if CAPTURE.items() <= policy.sampling.items():
        _check_tokens(policy, result)
    for warning in warnings(result) if result else ():
        say(f"warning: {warning}")


def _check_tokens(policy: Policy, answer: Answer | None) -> None:
    """Refuses an endpoint that was asked for the tokens of its answer and doesn't give them all."""
    if answer is not None and answer.has_tokens:
        return
    came = "no whole answer came in time"
    if answer is not None:
        came = (
            f"there came {len(answer.prompt_token_ids)} token ids of the prompt, {len(answer.token_ids)} token ids and "
            f"{len(answer.logprobs)} log-probabilities of the answer, and a count of {answer.usage.completion} tokens"
        )
    raise UsageError(
        f"capture_tokens is set, and the policy {policy.model!r} at {policy.base_url} doesn't give the tokens of its "
        f"answer: {came}. A newer vLLM does; with other servers leave --capture-tokens out."
    )


def warnings(answer: Answer) -> list[str]:
    """What in the policy's answer suggests that it doesn't see pictures."""
    if printed_parts.shows(answer.text):
        return [f"asked about a picture, the policy talked about a list of parts. {printed_parts.HINT}"]
    if answer.finish_reason == "stop" and answer.text and COLOUR not in answer.text.casefold():
        return [f"asked for the colour of a {COLOUR} picture, the policy said {answer.text[:SHOWN]!r}. Does it see it?"]
    return []


async def judge(endpoint: JudgeEndpoint, settings: JudgeSettings) -> None:
    """Have the judge compare an answer with an equal one, and with another one.

    Raises UsageError where it refuses, gives no verdict or a wrong one; UpstreamError where it can't be reached.
    """
    async with judging.connect(endpoint) as asked:
        equal, other = await asyncio.gather(_verdict(asked, settings, "4"), _verdict(asked, settings, "5"))
    if equal.verdict != "equivalent":
        raise UsageError(_unfit(settings, f"calls the answer 4 to a question whose answer is 4 {equal.verdict!r}"))
    if other.verdict == "equivalent":
        raise UsageError(_unfit(settings, "calls the answer 5 to a question whose answer is 4 'equivalent'"))


def request() -> dict[str, JSON]:
    """The request as an agent would make it, before the gateway puts in model, sampling and limit."""
    url = f"data:image/png;base64,{base64.b64encode(picture()).decode()}"
    parameters: JSON = {
        "type": "object",
        "properties": {"command": {"type": "string", "description": "The command"}},
        "required": ["command"],
    }
    return {
        "messages": [
            {"role": "system", "content": "You answer questions about pictures."},
            {
                "role": "user",
                "content": [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": QUESTION}],
            },
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "bash", "description": "Runs a shell command", "parameters": parameters},
            }
        ],
        "tool_choice": "auto",
        "stream": True,
    }


def picture() -> bytes:
    """A small red picture, as PNG."""
    from PIL import Image

    data = io.BytesIO()
    Image.new("RGB", (SIDE, SIDE), (215, 40, 40)).save(data, "PNG")
    return data.getvalue()


async def _answered(asking: "asyncio.Task[Answer | Failure]", exchange: Exchange) -> Answer | Failure | None:
    """The result; None where an answer comes but takes long, as that of a model that thinks: it was no refusal."""
    try:
        while not asking.done():
            await asyncio.wait({asking}, timeout=ANSWER)
            if exchange.status == 200 and len(exchange.received) > 0:
                await asyncio.wait({asking}, timeout=ANSWER)
                break
        return asking.result() if asking.done() else None
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


def _refusal(policy: Policy, failure: Failure) -> UsageError | UpstreamError:
    status = f"HTTP {failure.status}, " if failure.status else ""
    said = f"The policy {policy.model!r} at {policy.base_url} gave no answer to a small picture with a question"
    text = f'{said} ({status}{failure.kind}): "{failure.words[:SHOWN]}".{hint(failure.status, failure.words, "policy")}'
    return UpstreamError(text) if failure.again else UsageError(text)


async def _verdict(judge: Judge, settings: JudgeSettings, answer: str) -> Verdict:
    text = f"Two and two make \\boxed{{{answer}}}."
    call = await judge.ask(prompt.request(settings, "What is two plus two?", "4", answer, text))
    try:
        return read_call(call.to_json())
    except JudgeUnparseableError as error:
        raise UsageError(
            f"{_unfit(settings, f'gave no verdict: {error}')} It said: {_said(call.body)}. It must say one JSON object "
            "and nothing else; what it thinks belongs into reasoning_content."
        ) from None
    except JudgeError as error:
        found = re.search(r"HTTP (\d{3})", str(error))
        status = int(found[1]) if found else None
        text = f"{_unfit(settings, f'gave no reply: {error}')}{hint(status, str(error), 'judge')}"
        if status is not None and status < 500 and status not in {408, 409, 425, 429}:
            raise UsageError(text) from None
        raise UpstreamError(text) from None


def _unfit(settings: JudgeSettings, why: str) -> str:
    return f"The judge {settings.model!r} can't grade this run: it {why}"


def _said(body: str | None) -> str:
    try:
        text = reply_text(body or "")
    except JudgeError:
        text = body or ""
    return repr(text[:SHOWN])
