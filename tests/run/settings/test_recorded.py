"""What a replay takes from the record, and what a person may set otherwise."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.errors import UsageError
from harness.gateway import Policy
from harness.grading.prompt import JudgeSettings
from harness.run.endpoints.connect import _sampling
from harness.run.settings.means import agent_settings, gateway_settings, judge_settings
from harness.run.settings.recorded import recorded
from harness.run.settings.resolve import Settings, chosen, resolve
from harness.store.manifest import Manifest
from tests.run.test_identity import POLICY, made

GIVEN = {
    "temperature": "0.7",
    "top_k": "20",
    "reasoning_effort": "low",
    "max_tokens_field": "max_completion_tokens",
    "capture_tokens": "true",
    "opencode_model_id": "kimi",
    "timeout": "90",
    "max_calls": "7",
    "token_budget": "800",
    "cpus": "1.5",
    "memory_mib": "2048",
    "pids": "100",
    "workdir_mib": "64",
    "tmp_mib": "32",
}
JUDGE = JudgeSettings(model="j", temperature=None, max_tokens=99, max_tokens_field="max_completion_tokens")


def manifest(settings: Settings, policy: Policy = POLICY) -> Manifest:
    """The manifest of a run with these settings, on a policy with limits of its own."""
    policy = attrs.evolve(policy, sampling=_sampling(settings, policy.max_output))
    found = made(
        policy=policy,
        agent=agent_settings(settings, policy),
        gateway=gateway_settings(settings),
        timeout=settings["timeout"],
    )
    return attrs.evolve(found, plan={"tasks": ["3", "1"], "repeats": 2, "demo": True})


@pytest.mark.parametrize("given", [{}, GIVEN])
def test_a_replay_of_which_nothing_is_said_has_the_same_manifest(given: dict[str, str]) -> None:
    there = Manifest.from_bytes(manifest(resolve(given, {}, {})).to_bytes())
    settings = recorded(resolve({"policy": "replay:R"}, {"POLICY_MODEL": "other"}, {}), there, JUDGE)
    assert (settings["policy_model"], settings["context"], settings["max_output"]) == ("m", 8000, 1000)
    assert (settings["tasks"], settings["repeats"], settings["demo"]) == (("3", "1"), 2, True)
    assert manifest(settings).to_bytes() == there.to_bytes()
    assert judge_settings(settings, settings["judge_model"]) == JUDGE
    assert not chosen(settings, "context")


def test_what_is_named_goes_over_the_record() -> None:
    there = manifest(resolve({}, {}, {}))
    given = {"max_output": "500", "timeout": "7", "judge_model": "k", "repeats": "1", "limit": "1", "jobs": "2"}
    settings = recorded(resolve({}, {}, given), there, JUDGE)
    values: list[Any] = [settings[name] for name in given]
    assert values == [500, 7.0, "k", 1, 1, 2]
    assert settings["tasks"] is None
    assert settings["context"] == 8000


def test_without_a_scorer_the_judge_is_as_it_is_set() -> None:
    settings = recorded(resolve({}, {"JUDGE_MODEL": "k"}, {}), manifest(resolve({}, {}, {})), None)
    assert settings["judge_model"] == "k"


@pytest.mark.parametrize(
    ("name", "value"),
    [("temperature", "0.8"), ("seed", "1"), ("max_tokens_field", "max_completion_tokens"), ("capture_tokens", "true")],
)
def test_a_record_has_no_answers_for_other_sampling(name: str, value: str) -> None:
    there = manifest(resolve({"temperature": "0.7"}, {}, {}))
    with pytest.raises(UsageError, match=f"{name} = .* the record was made with(out it)?"):
        recorded(resolve({name: value}, {}, {}), there, None)
    recorded(resolve({"temperature": "0.7"}, {}, {}), there, None)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("prompts", "opencode_model_id", None),
        ("budgets", "context", "many"),
        ("budgets", "max_tokens", "many"),
        ("limits", "memory", None),
        ("plan", "repeats", None),
        ("plan", "tasks", "1"),
    ],
)
def test_a_manifest_without_what_a_replay_needs_is_named(part: str, name: str, value: Any) -> None:
    whole = manifest(resolve({}, {}, {}))
    rest = {key: each for key, each in getattr(whole, part).items() if key != name}
    for changed in (rest, {**rest, name: value}) if value else (rest,):
        other: dict[str, Any] = {part: changed}
        there = attrs.evolve(whole, **other)
        with pytest.raises(UsageError, match=rf"R/manifest\.json has no {part}\.{name}"):
            recorded(resolve({}, {}, {}), there, None, Path("R/manifest.json"))
