"""Commands whose help has examples and options in sections, and which suggest a name where one is mistyped."""

from collections.abc import Mapping
from typing import Any, Final

import click

from harness.errors import UnknownNameError, nearest

OTHERS: Final = "Options"  # the section of options that name none
SENTENCE: Final = 1000  # characters: a first sentence, whole


class Option(click.Option):
    """An option that stands in a ``section`` of its command's help."""

    def __init__(self, *args: Any, section: str = OTHERS, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section


class Choice(click.Choice[str]):
    """One of a few words; says which one was meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        return f"{super().get_invalid_choice_message(value, ctx)} {nearest(str(value), self.choices)}".rstrip()


class Command(click.Command):
    """A command with ``examples``: what one does, and its command line, which works as it stands."""

    def __init__(self, *args: Any, examples: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples: Mapping[str, str] = examples or {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            known = [name for param in self.get_params(ctx) for name in (*param.opts, *param.secondary_opts)]
            hint = nearest(error.option_name, [name for name in known if name.startswith("--")])
            raise click.UsageError(f"{error.message} {hint}".rstrip(), error.ctx) from None

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        if self.examples:
            with formatter.section("Examples"):
                for what, line in self.examples.items():
                    formatter.write_text(f"{what}:")
                    # a command line is there to be copied: it isn't wrapped
                    formatter.write(f"{'':{formatter.current_indent + 2}}{line}\n")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = None if isinstance(param, click.Argument) else param.get_help_record(ctx)
            if record is not None:
                sections.setdefault(getattr(param, "section", OTHERS), []).append(record)
        others = sections.pop(OTHERS, None)
        for title, records in (*sections.items(), (OTHERS, others)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class Group(Command, click.Group):
    """A group of such commands."""

    command_class = Command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # click would cut their first sentences to one line each
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, one.get_short_help_str(SENTENCE)) for name, one in found if one is not None and not one.hidden]
            )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in known and not ctx.resilient_parsing:
            raise UnknownNameError("command", args[0], known)
        return super().resolve_command(ctx, args)
