"""The table of settings: each one's name, where a value may come from, how it is read, and its default."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from harness.errors import UnknownNameError, UsageError
from harness.run.settings.values import (
    between,
    boolean,
    count,
    fraction,
    integer,
    names,
    number,
    one_of,
    or_none,
    path,
    positive,
    replay,
    seconds,
    shard,
    share,
    text,
    url,
)


@attrs.frozen
class Setting:
    """One setting. ``parse`` takes text and raises ValueError with a reason; ``aliases`` are NeMo Gym's names."""

    name: str
    parse: Callable[[str], Any]
    default: Any
    help: str
    env: str | None = None
    aliases: tuple[str, ...] = ()
    is_flag: bool = False

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")


_JUDGE: Final = "visual_coding_opencode_judge_"  # Gym's names of the judge begin so

KEY_FILE: Final = "_api_key_file"  # how names of settings end that name a key's file

_TASKS: Final = (
    Setting("demo", boolean, False, "Demo puzzles; policy and judge are scripted unless you name yours.", is_flag=True),
    Setting("demo_seed", count, 1, "Seed of the demo puzzles."),
    Setting("demo_puzzles", between(1, 100_000), 12, "How many demo puzzles."),
    Setting("limit", positive, None, "Only the first N tasks."),
    Setting("tasks", names, None, "Only these task ids, separated by commas."),
    Setting("repeats", between(1, 10_000), 1, "Rollouts per task."),
    Setting("instruction", path, None, "A text file that takes the place of babyvision's instruction."),
    Setting("babyvision_zip", path, None, "The authors' ZIP of BabyVision.", "BABYVISION_ZIP"),
    Setting("babyvision_parquet", path, None, "The parquet copy of BabyVision.", "BABYVISION_PARQUET"),
    Setting("data_dir", path, None, "Where data sets are; else the XDG data folder.", "HARNESS_DATA_DIR"),
)

_RUN: Final = (
    Setting(
        "run", path, None, "Run folder, new or resumed; else runs/BENCHMARK-DATE-ID8.", None, ("output_jsonl_fpath",)
    ),
    Setting("jobs", between(1, 1000), 1, "Sandboxes at a time."),
    Setting("shard", shard, None, "Only shard I of N, as I/N with I from 0; tasks are dealt by a stable hash."),
)

_ENDPOINTS: Final = (
    Setting("policy", replay, None, "replay:PATH answers from the record of a run: its folder or an archive of it."),
    Setting("policy_base_url", url, None, "The policy's OpenAI-compatible endpoint.", "POLICY_BASE_URL"),
    Setting("policy_model", text, None, "The policy's model name.", "POLICY_MODEL", ("policy_model_name",)),
    Setting("policy_api_key_file", path, None, "A 0600 file that holds the policy's key (or POLICY_API_KEY)."),
    Setting(
        "judge_base_url",
        url,
        None,
        "The judge's OpenAI-compatible endpoint.",
        "JUDGE_BASE_URL",
        (_JUDGE + "base_url",),
    ),
    Setting("judge_model", text, "gpt-4o-mini", "The judge's model name.", "JUDGE_MODEL", (_JUDGE + "model_name",)),
    Setting("judge_api_key_file", path, None, "A 0600 file that holds the judge's key (or JUDGE_API_KEY)."),
    Setting(
        "send_openai_key",
        boolean,
        False,
        "OPENAI_API_KEY may go to a judge on another host than api.openai.com.",
        is_flag=True,
    ),
    Setting("no_preflight", boolean, False, "Don't try policy and judge before the first attempt.", is_flag=True),
)

# The defaults of time, judge and limits are the anchor's (NeMo Gym's visual_coding_opencode).
_LIMITS: Final = (
    Setting("timeout", seconds, 1800.0, "Seconds for one attempt."),
    Setting(
        "max_attempts", positive, 3, "Attempts at a task that fails for reasons outside its sandbox, over all calls."
    ),
    Setting("stall", seconds, 600.0, "Seconds of silence after which a time-out is the endpoint's fault."),
    Setting("first_call", seconds, 120.0, "Seconds within which OpenCode must make its first model call."),
    Setting("upstream_attempts", between(1, 1000), 5, "Tries of one call to the policy."),
    Setting("upstream_backoff", seconds, 2.0, "Seconds before the second try of a call; then twice as long each time."),
    Setting("max_calls", positive, None, "Budget of one attempt: model calls; no budget unless set."),
    Setting("token_budget", positive, None, "Budget of one attempt: tokens that the model writes; none unless set."),
)

_SANDBOX: Final = (
    # A quota below a hundredth of a processor is refused by the kernel.
    Setting("cpus", number(0.1, 1024), 2.0, "Processors of one sandbox."),
    Setting("memory_mib", between(64, 1 << 24), 8192, "Memory of one sandbox, in MiB."),
    Setting("pids", between(16, 1 << 22), 512, "Processes and threads of one sandbox."),
    Setting("workdir_mib", between(1, 1 << 24), 1024, "Size of /workspace and of HOME, each, in MiB."),
    Setting("tmp_mib", between(1, 1 << 24), 512, "Size of /tmp, in MiB."),
    Setting(
        "require_limits",
        boolean,
        False,
        "Refuse a machine that can't enforce every limit.",
        "HARNESS_REQUIRE_LIMITS",
        is_flag=True,
    ),
)

_MODEL: Final = (
    Setting("context", positive, None, "The policy's context length in tokens; else from its /v1/models."),
    Setting("max_output", positive, None, "The most tokens of one answer; else what the context leaves."),
    Setting(
        "max_tokens_field",
        one_of("max_tokens", "max_completion_tokens"),
        "max_tokens",
        "The request's field for max_output: max_tokens, or max_completion_tokens as OpenAI's newer models want.",
    ),
    Setting("opencode_model_id", text, "vlm", "The model id that OpenCode sees: it chooses the system prompt."),
    Setting(
        "capture_tokens",
        boolean,
        False,
        "Ask a vLLM-style endpoint for token ids and log-probabilities, and keep them.",
        is_flag=True,
    ),
)

_SAMPLING: Final = (
    Setting("temperature", fraction, None, "Sampling temperature; left out unless set, as all sampling."),
    Setting("top_p", share, None, "Nucleus sampling, 0 to 1."),
    Setting("top_k", integer, None, "Only the k likeliest tokens; not every server knows it."),
    Setting("min_p", share, None, "Least probability beside the likeliest token's; not every server knows it."),
    Setting("seed", integer, None, "The endpoint's seed."),
    Setting("presence_penalty", number(-2, 2), None, "From -2 to 2."),
    Setting("frequency_penalty", number(-2, 2), None, "From -2 to 2."),
    Setting("repetition_penalty", fraction, None, "1 is none; not every server knows it."),
    Setting("reasoning_effort", text, None, "Such as low, medium, high."),
)

_JUDGING: Final = (
    Setting("judge_temperature", or_none(fraction), 0.0, "The judge's temperature; none leaves it out."),
    Setting("judge_top_p", or_none(share), 1.0, "The judge's nucleus sampling; none leaves it out."),
    Setting("judge_max_tokens", positive, 1024, "The most tokens of one reply of the judge."),
    Setting(
        "judge_max_tokens_field",
        one_of("max_tokens", "max_completion_tokens"),
        "max_tokens",
        "The request's field for judge_max_tokens, as max_tokens_field is the policy's.",
    ),
    Setting("judge_concurrency", between(1, 10_000), 32, "Calls to the judge at a time."),
    Setting("judge_timeout", seconds, 120.0, "Seconds for one call to the judge."),
    Setting("judge_attempts", between(1, 1000), 5, "Tries of one call to the judge."),
)

# The headings under which people find them.
SECTIONS: Final[Mapping[str, tuple[Setting, ...]]] = {
    "Tasks": _TASKS,
    "Run": _RUN,
    "Endpoints": _ENDPOINTS,
    "Model": _MODEL,
    "Sampling": _SAMPLING,
    "Limits": _LIMITS,
    "Sandbox": _SANDBOX,
    "Judge": _JUDGING,
}
SETTINGS: Final[tuple[Setting, ...]] = tuple(setting for section in SECTIONS.values() for setting in section)
BY_NAME: Final[Mapping[str, Setting]] = {s.name: s for s in SETTINGS} | {a: s for s in SETTINGS for a in s.aliases}

# Fields of a request to the policy that are sent only where they are set, under their own names.
SAMPLING: Final = tuple(setting.name for setting in _SAMPLING)

_KEY: Final = re.compile(r"(?i)(?:.*[_-])?(?:api|access)[_-]?(?:key|token)")


def setting_of(name: str) -> Setting:
    """The setting of a name, Gym's included.

    Raises UnknownNameError, and a UsageError of its own for a key's name: keys are never given as values.
    """
    if name in BY_NAME:
        return BY_NAME[name]
    if _KEY.fullmatch(name):
        raise UsageError(
            f"{name[:60]} can't be given here: a command line is for everybody on the machine to see, and a settings "
            "file gets about. Keys come from POLICY_API_KEY, JUDGE_API_KEY and OPENAI_API_KEY in the environment, or "
            "from files of mode 0600: policy_api_key_file, judge_api_key_file."
        )
    raise UnknownNameError("setting", name, BY_NAME)
