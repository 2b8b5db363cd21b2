"""Whom a run talks to: limits and where they come from, sampling, keys, the demo's stand-ins."""

import json
from typing import Any

import pytest

from harness.benchmarks.demo import server
from harness.errors import UsageError
from harness.gateway import Secret
from harness.run.endpoints.connect import Endpoints, endpoints
from harness.run.settings.resolve import resolve
from tests.gateway.scripted import Endpoint, sends

MODELS = json.dumps({"data": [{"id": "m", "max_model_len": 40_000}, {"id": "small", "max_model_len": 40_000}]}).encode()
GIVEN = {"policy_model": "m", "judge_base_url": "http://127.0.0.1:1/v1"}


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("POLICY_API_KEY", "JUDGE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


async def made(**given: str) -> Endpoints:
    async with Endpoint([sends(MODELS, kind="application/json")]) as endpoint:
        flags = {**GIVEN, "policy_base_url": endpoint.url, **given}
        async with endpoints(resolve(flags, {}, {})) as ends:
            return ends


async def test_limits_come_from_the_endpoint_and_it_is_said() -> None:
    ends = await made()
    assert (ends.policy.context, ends.policy.max_output) == (40_000, 10_000)
    assert ends.notes[0] == "context: 40000 tokens (max_model_len); output: at most 10000 (a quarter of the context)"


async def test_what_is_given_goes_over_it() -> None:
    ends = await made(context="9000", max_output="500", policy_base_url="http://127.0.0.1:1/v1")  # nobody is asked
    assert ends.notes[0] == "context: 9000 tokens (--context); output: at most 500 (--max-output)"


async def test_the_endpoints_own_output_limit_holds() -> None:
    entry = {"id": "m", "context_window": 40_000, "max_completion_tokens": 4096}
    async with (
        Endpoint([sends(json.dumps({"data": [entry]}).encode())]) as endpoint,
        endpoints(resolve({**GIVEN, "policy_base_url": endpoint.url}, {}, {})) as ends,
    ):
        assert (ends.policy.max_output, "(max_completion_tokens)" in ends.notes[0]) == (4096, True)


async def test_without_a_context_length_there_is_no_run() -> None:
    async with Endpoint([sends(b'{"data": [{"id": "m"}]}')]) as endpoint:
        with pytest.raises(UsageError, match="Give --context TOKENS"):
            async with endpoints(resolve({**GIVEN, "policy_base_url": endpoint.url}, {}, {})):
                pass


async def test_sampling_is_what_is_set_and_nothing_else() -> None:
    assert (await made()).policy.sampling == {}
    ends = await made(temperature="0.7", top_k="20", reasoning_effort="low", max_tokens_field="max_completion_tokens")
    wanted: dict[str, Any] = {"temperature": 0.7, "top_k": 20, "reasoning_effort": "low"}
    assert ends.policy.sampling == {**wanted, "max_completion_tokens": 10_000}


async def test_tokens_are_asked_for_where_that_is_set() -> None:
    assert (await made(capture_tokens="true")).policy.sampling == {"logprobs": True, "return_token_ids": True}


@pytest.mark.parametrize(
    ("env", "given", "key"),
    [
        ({"OPENAI_API_KEY": "sk-openai"}, {}, None),
        ({"OPENAI_API_KEY": "sk-openai"}, {"send_openai_key": "true"}, "sk-openai"),
        ({"OPENAI_API_KEY": "sk-openai"}, {"judge_base_url": "https://api.openai.com/v1"}, "sk-openai"),
        ({"OPENAI_API_KEY": "sk-openai"}, {"judge_base_url": "https://api.openai.com.evil.test/v1"}, None),
        ({"OPENAI_API_KEY": "sk-openai", "JUDGE_API_KEY": "sk-j"}, {"send_openai_key": "true"}, "sk-j"),
    ],
)
async def test_openais_key_goes_to_openai_alone(
    monkeypatch: pytest.MonkeyPatch, env: dict[str, str], given: dict[str, str], key: str | None
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    ends = await made(**given)
    assert ends.policy.api_key is None
    found = ends.judge.api_key
    assert (found.reveal() if isinstance(found, Secret) else None) == key


async def test_the_judges_patience_is_as_set() -> None:
    ends = await made(judge_timeout="7", judge_attempts="2", judge_concurrency="3")
    assert (ends.judge.timeout, ends.judge.retries, ends.judge.concurrency) == (7, 1, 3)


async def test_the_demo_stands_in_for_what_no_flag_names() -> None:
    async with endpoints(resolve({"demo": "true"}, {"POLICY_BASE_URL": "http://127.0.0.1:1"}, {})) as ends:
        assert [note for note in ends.notes if "POLICY_BASE_URL" in note]  # what is left alone is said
        assert not [note for note in ends.notes if "JUDGE_BASE_URL" in note]
        assert (ends.policy.model, ends.judge_model) == (server.POLICY_MODEL, server.JUDGE_MODEL)
    ends = await made(demo="true")
    assert (ends.policy.model, ends.judge_model) == ("m", "gpt-4o-mini")


@pytest.mark.parametrize("missing", ["policy_base_url", "policy_model", "judge_base_url"])
async def test_what_is_missing_is_named(missing: str) -> None:
    flags = {**GIVEN, "policy_base_url": "http://127.0.0.1:1/v1", "context": "9000"}
    with pytest.raises(UsageError, match=f"{missing} is missing"):
        async with endpoints(resolve({name: value for name, value in flags.items() if name != missing}, {}, {})):
            pass
