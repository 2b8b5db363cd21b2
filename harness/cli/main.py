"""The command ``harness``: finds the command's module, and turns exceptions into messages and exit statuses."""

import errno
import gc
import os
import pwd
import signal
import sys
from collections.abc import Sequence
from typing import Any, Final

import click

from harness import __version__
from harness.cli.commands import LazyGroup
from harness.errors import EXIT_ERROR, EXIT_HOST, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, HarnessError

WIDTH: Final = 100  # columns of help, at most


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH},
    examples={
        "One puzzle: no keys, no data, no network": "harness eval babyvision --demo --limit 1 --run one",
        "What came of it": "harness show one",
    },
)
@click.version_option(__version__, prog_name="harness")
def cli() -> None:
    """Measure how well a model does a benchmark as an agent, so that others can check the figure.

    harness COMMAND --help has examples of each command. Where a bundle is not installed, harness stands for: sh
    nix/setup.sh nix run . --
    """


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with the exit status of DESIGN's table."""
    # Modules and records make objects by the ten thousand, and nearly all of them stay: looking through them all for
    # garbage so often is a tenth of a short command's time.
    gc.set_threshold(20_000)
    # OpenBLAS, of which we need nothing, starts a thread for each processor as numpy is loaded. Where it may start none
    # it sends this process a SIGINT.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_streams()
    status = run(list(sys.argv[1:] if argv is None else argv))
    try:
        sys.stdout.flush()
    except OSError as error:  # what was to be printed is lost: that is no success
        if status == EXIT_OK:  # else it was said already
            click.echo(f"harness: standard output can't be written to: {error.strerror}", err=True)
        os._exit(status or EXIT_ERROR)  # Python's own end would try again
    sys.exit(status)


def _open_streams() -> None:
    """Open what the caller has closed: else a file that is opened later would be taken for standard output."""
    for number, name in enumerate(("/dev/null", "/dev/full", "/dev/null")):  # what is printed into nothing is lost
        try:
            os.fstat(number)
        except OSError:
            os.open(name, os.O_RDWR)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 - it stays open
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def run(argv: list[str]) -> int:
    """Run one command line; returns its exit status and has printed every message."""
    try:
        result: Any = cli.main(argv, prog_name="harness", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return EXIT_USAGE
    except click.UsageError as error:
        from harness.report.words import plain

        # It may hold a word of the command line, such as a file's name that somebody else chose.
        error.message = "\n".join(map(plain, error.message.split("\n")))  # type: ignore[misc]
        error.show()
        return EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("harness: interrupted", err=True)
        return EXIT_INTERRUPTED
    except HarnessError as error:
        from harness.report.words import plain

        # It may hold what an endpoint or a file said.
        click.echo("harness: " + "\n".join(map(plain, str(error).split("\n"))), err=True)
        return error.exit_status
    except BrokenPipeError:
        return EXIT_ERROR
    except MemoryError:
        click.echo("harness: memory ran out. Give the command more, or a smaller part of the work.", err=True)
        return EXIT_HOST
    except RuntimeError as error:
        if str(error) != _NO_THREAD:
            raise
        click.echo(f"harness: {error}: {_USED_UP[errno.EAGAIN]}", err=True)
        return EXIT_HOST
    except OSError as error:
        if error.errno in _USED_UP:
            click.echo(f"harness: {error.strerror}: {_USED_UP[error.errno]}", err=True)
            return EXIT_HOST
        if error.filename is None and error.errno in (errno.ENOSPC, errno.EBADF):  # the store names its files
            click.echo(f"harness: standard output can't be written to: {error.strerror}", err=True)
            return EXIT_ERROR
        where = f": {error.filename}" if error.filename else ""
        # nix/setup.sh runs this as another user than the one who typed the path
        whom = f" for user {_user()}" if error.errno == errno.EACCES else ""
        from harness.report.words import plain

        click.echo(plain(f"harness: {error.strerror or error}{whom}{where}"), err=True)
        return EXIT_ERROR
    if result == _KILLED:
        click.echo("harness: killed by SIGKILL, as the kernel does where memory runs out (as root: dmesg).", err=True)
    return result if isinstance(result, int) else EXIT_OK


# What a command gives back whose part inside the namespace could say nothing any more.
_KILLED = 128 + signal.SIGKILL
# What to do where a limit of this process or of its user was met.
_USED_UP = {
    errno.EAGAIN: "most likely no further process may be started. Raise the user's limit (ulimit -u), or end some.",
    errno.EMFILE: "raise the limit on open files (ulimit -n).",
    errno.ENFILE: "all programs together may open no more. As root: raise sysctl fs.file-max; or take fewer --jobs.",
}
# What Python says instead of an error of the system's where a thread would be one more process than may be.
_NO_THREAD = "can't start new thread"


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # it has no name on this machine
        return str(os.geteuid())
