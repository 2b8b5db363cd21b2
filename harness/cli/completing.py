"""What the shell may put after what was typed. Nothing here checks, complains or imports much: it runs at each Tab."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from harness.benchmarks.babyvision.names import NAMES

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

LARGEST: Final = 64 << 20  # bytes of a run's file that is looked into; more would keep a person waiting
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Folder(click.Path):
    """A path to a folder, such as a run; whether it is one is for its reader to say."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        return _kind("dir", incomplete)


def benchmarks(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Names of benchmarks; else the files of one's own."""
    return _beginning(NAMES, incomplete) or _kind("file", incomplete)


def files(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Files, by the shell's own way."""
    return _kind("file", incomplete)


def sections(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Sections of settings."""
    from harness.run.settings.table import SECTIONS

    return _beginning(map(str.lower, SECTIONS), incomplete)


def pairs(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """``++NAME=`` for each setting, NeMo Gym's names too."""
    from harness.run.settings.table import BY_NAME

    return _beginning((f"++{name}=" for name in BY_NAME), incomplete)


def schemas(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Names of JSON schemas."""
    from harness.cli.schemas import names

    return _beginning(names(), incomplete)


def tasks(ctx: click.Context, _param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Tasks that the run which stands before is planned with."""
    return _beginning(_of_run(ctx, "manifest.json", "plan", "tasks"), incomplete)


def outcomes(ctx: click.Context, _param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Outcomes that the run which stands before has, by its summary."""
    return _beginning(_of_run(ctx, "summary.json", "outcomes"), incomplete)


def flags(ctx: click.Context, _param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Flags that the run which stands before has, by its summary."""
    return _beginning(_of_run(ctx, "summary.json", "flags"), incomplete)


def _of_run(ctx: click.Context, name: str, *keys: str) -> Iterable[str]:
    """The list, or the keys of the object, that stands in a run's file under these keys; nothing where it can't be.

    Whoever made the run chose the names, and bash puts them on the line as they are: what it would run, open or take
    for several words or an option is left out. No task, outcome or flag of the harness's own is such a name.
    """
    try:
        # an option that still lacks its value has click leave arguments unread
        path = Path(ctx.params.get("run") or ctx.args[0], name)
        value: Any = json.loads(path.read_bytes()) if path.is_file() and path.stat().st_size <= LARGEST else {}
        for key in keys:
            value = value[key]
        return [one for one in map(str, value) if _WORD.fullmatch(one)]
    except (LookupError, TypeError, ValueError, RecursionError, OSError):  # a Tab must not end in words
        return ()


def _beginning(names: Iterable[str], incomplete: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _kind(kind: str, incomplete: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type=kind)]
