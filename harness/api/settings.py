"""The settings of a run as keyword arguments: names are those of `harness.run.settings.table`, values are Python's."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias, TypedDict

from harness.errors import UsageError
from harness.run.settings.resolve import arguments
from harness.run.settings.table import KEY_FILE, setting_of
from harness.run.settings.values import names

PathLike: TypeAlias = str | os.PathLike[str]
Number: TypeAlias = int | float
TokensField: TypeAlias = Literal["max_tokens", "max_completion_tokens"]


class Settings(TypedDict, total=False):
    """Every setting; ``harness config`` says what each does. Seconds, MiB, tokens: as the command line has them."""

    instruction: PathLike
    limit: int
    tasks: Sequence[str] | str
    repeats: int
    demo: bool
    demo_seed: int
    demo_puzzles: int
    babyvision_zip: PathLike
    babyvision_parquet: PathLike
    data_dir: PathLike
    run: PathLike
    jobs: int
    shard: tuple[int, int] | str
    policy: str
    policy_base_url: str
    policy_model: str
    policy_api_key_file: PathLike
    judge_base_url: str
    judge_model: str
    judge_api_key_file: PathLike
    send_openai_key: bool
    no_preflight: bool
    context: int
    max_output: int
    max_tokens_field: TokensField
    opencode_model_id: str
    capture_tokens: bool
    temperature: Number
    top_p: Number
    top_k: int
    min_p: Number
    seed: int
    presence_penalty: Number
    frequency_penalty: Number
    repetition_penalty: Number
    reasoning_effort: str
    timeout: Number
    max_attempts: int
    stall: Number
    first_call: Number
    upstream_attempts: int
    upstream_backoff: Number
    max_calls: int
    token_budget: int
    cpus: Number
    memory_mib: int
    pids: int
    workdir_mib: int
    tmp_mib: int
    require_limits: bool
    judge_temperature: Number | Literal["none"]
    judge_top_p: Number | Literal["none"]
    judge_max_tokens: int
    judge_max_tokens_field: TokensField
    judge_concurrency: int
    judge_timeout: Number
    judge_attempts: int


def options(given: Mapping[str, object]) -> list[str]:
    """The arguments of a command line that say the same; None leaves a setting as it is without it.

    Raises UsageError for a name that is no setting, a key, or a value of no type that a setting has; the values
    themselves are read by the command.
    """
    return arguments({name: _text(name, value) for name, value in given.items() if value is not None}, {})


def operand(path: PathLike) -> str:
    """A path, or a benchmark's name, as a word of a command line that no option can be taken for."""
    text = os.fsdecode(path)
    return f"./{text}" if text.startswith("-") else text


def _text(name: str, value: object) -> str:
    setting = setting_of(name)
    if name.endswith(KEY_FILE) and not (isinstance(value, str | os.PathLike) and Path(os.fspath(value)).is_file()):
        # It may be the key, which a message would show, and a command line to everybody on the machine.
        raise UsageError(f"{name} names no file that is there. A key file's path is given, never the key.")
    if isinstance(value, bool) != setting.is_flag:
        raise UsageError(f"{name} must be {'True or False' if setting.is_flag else 'no bool'}, not {value!r:.80}.")
    match value:
        case bool():
            return str(value).lower()
        case str() | int() | float():
            return str(value)
        case os.PathLike():
            return os.fsdecode(value)
        case (int(index), int(count)) if name == "shard":
            return f"{index}/{count}"
        case list() | tuple() if setting.parse is names and all(isinstance(item, str) for item in value):
            return ",".join(value)
        case _:
            raise UsageError(f"{name} can't be {value!r:.80} ({type(value).__name__}).")
