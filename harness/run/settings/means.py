"""From a run's settings to those of the parts that it is made of."""

from harness.agents import opencode
from harness.gateway import Backoff, GatewaySettings, Model
from harness.grading.prompt import JudgeSettings
from harness.run.settings.resolve import Settings
from harness.sandbox.values import MIB, Limits


def agent_settings(settings: Settings, policy: Model) -> opencode.Settings:
    """What OpenCode is told, and what its sandbox may use."""
    limits = Limits(
        cpus=settings["cpus"],
        memory=settings["memory_mib"] * MIB,
        pids=settings["pids"],
        workdir=settings["workdir_mib"] * MIB,
        tmp=settings["tmp_mib"] * MIB,
    )
    return opencode.Settings(policy.context, policy.max_output, settings["opencode_model_id"], limits)


def gateway_settings(settings: Settings) -> GatewaySettings:
    """How the gateway treats calls; raises UsageError for a model id that can't be."""
    return GatewaySettings(
        alias=settings["opencode_model_id"],
        stall=settings["stall"],
        attempts=settings["upstream_attempts"],
        backoff=Backoff(first=settings["upstream_backoff"]),
        max_calls=settings["max_calls"],
        max_tokens=settings["token_budget"],
    )


def judge_settings(settings: Settings, model: str) -> JudgeSettings:
    """What of the judge decides a verdict, for the judge model of this name."""
    return JudgeSettings(
        model=model,
        temperature=settings["judge_temperature"],
        top_p=settings["judge_top_p"],
        max_tokens=settings["judge_max_tokens"],
        max_tokens_field=settings["judge_max_tokens_field"],
    )
