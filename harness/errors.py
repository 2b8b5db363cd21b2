"""Every exception of the harness.

::

    HarnessError                  exit 1   something went wrong, and no narrower class fits
    ├── UsageError                exit 2   a command line, a setting or an input file is wrong
    │   └── UnknownNameError      exit 2   a name that doesn't exist; carries the nearest ones
    ├── HostUnfitError            exit 4   this machine lacks something that a run needs
    │   ├── NoSpaceError          exit 4   a disk is full
    │   └── PinMissingError       exit 4   a pinned file is not in the store
    ├── CheckFailedError          exit 5   bytes are not what they should be
    │   └── StoreCorruptError     exit 5   a blob or a record does not match its digest
    ├── CanonicalError            exit 1   a value or bytes that canonical JSON does not know
    └── InfrastructureError       exit 1   a sandbox, the gateway or an endpoint failed under one attempt
        ├── SandboxError          exit 1   a sandbox could not be made, started or read
        ├── UpstreamError         exit 1   a model endpoint could not be used
        └── JudgeError            exit 1   the judge could not be asked, or gave no reply
            └── JudgeUnparseableError  exit 1   the judge's reply holds no valid verdict

An ``InfrastructureError`` inside an attempt masks that attempt; it ends a run only where no attempt is under way.
The text of an exception says what happened, to what, and what to do; it never holds a key.
"""

import difflib
from collections.abc import Iterable, Sequence

EXIT_OK = 0
EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_COVERAGE = 3
EXIT_HOST = 4
EXIT_CHECK = 5
EXIT_INTERRUPTED = 130

LISTED = 20  # known names that a message lists
SHOWN = 100  # characters of a name that doesn't exist
COMPARED = 1_000_000  # pairs of letters of names that are compared: half a second


class HarnessError(Exception):
    """Base class; ``exit_status`` is what the command line ends with."""

    exit_status: int = EXIT_ERROR


class UsageError(HarnessError):
    """A command line, a setting or an input file is wrong."""

    exit_status = EXIT_USAGE


class UnknownNameError(UsageError):
    """A name that doesn't exist ``where`` it was looked for; the text names the nearest known one."""

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = "") -> None:
        names = sorted(known, key=lambda one: (len(one) if one.isdecimal() else 0, one))
        hint = nearest(name, names) or f"Known: {_listed(names)}."
        shown = repr(name) if len(name) <= SHOWN else f"{name[:SHOWN]!r}..."
        super().__init__(f"{f'There is no {kind} {shown} {where}'.rstrip()}. {hint}")


def nearest(name: str, known: Iterable[str]) -> str:
    """The question which known name was meant; empty where none is near, as with numbers, or all are too many."""
    names = list(known)
    if name.isdecimal() or len(name) * sum(map(len, names)) > COMPARED:
        return ""
    near = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]!r}?" if near else ""


def _listed(names: Sequence[str]) -> str:
    """The names, as far as a person reads."""
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED + 1 else ""
    return ", ".join(names[:LISTED] if more else names) + more or "none"


class HostUnfitError(HarnessError):
    """This machine lacks something that a run needs: ``found`` says what, ``advice`` what can be done."""

    exit_status = EXIT_HOST

    def __init__(self, found: str, advice: str = "") -> None:
        super().__init__(f"{found} {advice}".rstrip())
        self.found = found
        self.advice = advice


class NoSpaceError(HostUnfitError):
    """A disk is full."""


class PinMissingError(HostUnfitError):
    """A pinned file is not in the store."""


class CheckFailedError(HarnessError):
    """Bytes are not what they should be."""

    exit_status = EXIT_CHECK


class StoreCorruptError(CheckFailedError):
    """A blob or a record does not match its digest."""


class CanonicalError(HarnessError):
    """A value or bytes that canonical JSON does not know; the text says where in the value."""


class InfrastructureError(HarnessError):
    """A sandbox, the gateway or an endpoint failed under one attempt."""


class SandboxError(InfrastructureError):
    """A sandbox could not be made, started or read."""


class UpstreamError(InfrastructureError):
    """A model endpoint could not be used."""


class JudgeError(InfrastructureError):
    """The judge could not be asked, or gave no reply."""


class JudgeUnparseableError(JudgeError):
    """The judge's reply holds no valid verdict."""
