"""What can go wrong while pins are fetched, with the exit status of each.

::

    PinsError                exit 1   something failed, and no narrower class fits
    ├── BadInputError        exit 2   an argument or a file of pins/ is wrong
    ├── HostUnfitError       exit 4   a client is not installed, or a pin is neither here nor to be fetched
    └── WrongBytesError      exit 5   a file is not the one that was pinned
"""


class PinsError(Exception):
    """Base class; the text says what happened, to what, and what to do."""

    exit_status = 1


class BadInputError(PinsError):
    """An argument or a file of pins/ is wrong."""

    exit_status = 2


class HostUnfitError(PinsError):
    """This machine lacks something: a client, Nix, or a pin in the folder that was given."""

    exit_status = 4


class WrongBytesError(PinsError):
    """A file is not the one that was pinned."""

    exit_status = 5


def worst(problems: list[PinsError]) -> int:
    """The exit status for several problems at once: wrong bytes before all else, then what the host lacks."""
    return max((problem.exit_status for problem in problems), default=0)
