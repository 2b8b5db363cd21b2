"""The table ``[slurm]`` of a settings file: what differs from site to site."""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from harness.errors import UnknownNameError, UsageError
from harness.run.settings.file import CLUSTER, LARGEST
from harness.run.settings.files import read_plain

#: Options of sbatch that are the harness's own: another value would undo what a run relies on.
OWN: Final = frozenset(
    {"array", "chdir", "dependency", "export", "export-file", "get-user-env", "job-name", "no-requeue", "nodes"}
    | {"ntasks", "open-mode", "output", "parsable", "quiet", "requeue", "signal", "test-only", "time", "wait", "wrap"}
)
#: One word for a line of #SBATCH, where Slurm has quotes and comments of its own.
WORD: Final = re.compile(r"[\w./+=:,@%\[\]*-]+")
_DAYS: Final = re.compile(r"(?:(\d{1,4})-)?(\d{1,7})(?::(\d{1,2}))?(?::(\d{1,2}))?")
# A path in which the node's own variables stand, as in /scratch/$USER/$SLURM_JOB_ID.
_NODE_PATH: Final = re.compile(r"(?:/|\$\{?[A-Z_]+\}?)(?:[\w./+@-]|\$[A-Z_]+|\$\{[A-Z_]+\})*")


def minutes(value: object) -> int:
    """A length of time as Slurm writes it: ``90``, ``1:30:00``, ``2-12``, ``1-06:00:00``; a whole number of minutes."""
    text = str(value)
    match = _DAYS.fullmatch(text)
    if match is None or isinstance(value, bool):
        raise ValueError("must be minutes, or text as Slurm has it: HH:MM:SS, D-HH, D-HH:MM:SS")
    days, *rest = match.groups()
    first, second = (int(part or 0) for part in rest[:2])
    if days is not None:
        found = int(days) * 1440 + first * 60 + second
    elif rest[2] is not None:
        found = first * 60 + second
    else:
        found = first
    if found < 1:
        raise ValueError("must be at least a minute")
    return found


def _word(value: str) -> str:
    if WORD.fullmatch(value) is None:
        raise ValueError("must be one word of letters, digits and ./+=:,@%[]*-_")
    return value


def _option(value: str) -> str:
    name = value.removeprefix("--").partition("=")[0]
    if not value.startswith("--") or WORD.fullmatch(value) is None:
        raise ValueError("must be one long option of sbatch, such as --exclusive or --constraint=avx2")
    # sbatch takes the beginning of a name for the whole: --arr=0-5
    if own := next((one for one in sorted(OWN) if one.startswith(name)), None):
        raise ValueError(f"--{own} is set by the harness")
    return value


def _node_path(value: str) -> str:
    if _NODE_PATH.fullmatch(value) is None:
        raise ValueError("must be an absolute path, which may hold $VARIABLES of the job")
    return value


def _line(value: str) -> str:
    if "\n" in value or "\0" in value:
        raise ValueError("must be lines: a list of them")
    return value


def _command(value: str) -> str:
    if "\0" in value or value.startswith("~"):
        raise ValueError("must be a path or a name as it is on the nodes; ~ stands for nothing there")
    return value


Word = Annotated[str, AfterValidator(_word)]
Command = Annotated[str, AfterValidator(_command)]


class Knobs(BaseModel):
    """What a site sets; all of it may be left out. docs/slurm.md says what each is for."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    partition: Word | None = None
    account: Word | None = None
    qos: Word | None = None
    max_time: Annotated[int, BeforeValidator(minutes)] = 1440  # minutes, the longest that a job may ask for
    cpus: Annotated[int, Field(ge=1)] | None = None  # of one job
    memory_mib: Annotated[int, Field(ge=1)] | None = None  # of one job
    slots: Annotated[int, Field(ge=1)] | None = None  # jobs of one array at a time
    tmp: Annotated[str, AfterValidator(_node_path)] | None = None  # on the node's own disk
    logs: str | None = None
    harness: Command | None = None  # the command, where it stands at another place on the nodes
    sbatch: tuple[Annotated[str, AfterValidator(_option)], ...] = Field(default=(), strict=False)
    prologue: tuple[Annotated[str, AfterValidator(_line)], ...] = Field(default=(), strict=False)


def read(path: Path | None) -> Knobs:
    """The knobs of a settings file, or the defaults; raises UsageError, which names the file and the knob."""
    if path is None:
        return Knobs()
    data = read_plain(path, "The settings file", LARGEST)
    try:
        table: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The settings file {path} is no TOML: {error}") from None
    try:
        return Knobs.model_validate(table.get(CLUSTER, {}))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, (CLUSTER, *first["loc"])))
        if first["type"] == "extra_forbidden":
            raise UnknownNameError("knob", str(first["loc"][-1]), Knobs.model_fields, f"in {path}: {where}") from None
        raise UsageError(f"{path}: {where}: {first['msg']}. docs/slurm.md lists the knobs.") from None
