"""How a probe is written down, and the one line of JSON that it comes to.

::

    {"name": ..., "group": ..., "result": RESULT, "detail": ...}

RESULT is ``done`` (what must not be possible was), ``refused``, ``absent`` (this host has nothing of the kind),
``seen`` (``detail`` is a text in which the harness looks for its secrets) or ``failed`` (the probe itself is at fault).
"""

import errno
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypedDict


class Facts(TypedDict):
    """What the harness tells the probes: nothing that is secret."""

    #: UNIX sockets without a file that the host listens on: names without the leading zero byte.
    abstract: list[str]
    #: The folder of all sandboxes, and the socket of podman's service, as the harness sees them.
    boxes: str
    podman: str
    #: The harness's own namespaces, by kind.
    namespaces: dict[str, str]
    #: The names of the variables that were given.
    environment: list[str]
    #: A name that stands on the other sandbox's files, in each folder that it may write to, and on its command line;
    #: and this one's own.
    neighbour: str
    mark: str
    #: For what fills something: the bounds that must hold, by the names of `Limits`, of an output, and for how many
    #: seconds memory is kept.
    bounds: dict[str, int]


class Absent(Exception):  # noqa: N818  it is no error: this host has nothing that could be tried
    """What was to be tried does not exist on this host."""


class Seen(NamedTuple):
    """A text that a shell in the sandbox can read."""

    text: str


class Probe(NamedTuple):
    """``act`` says what it could do, or raises the OSError that it was refused with.

    ``apart``: it could change its own process, or be killed; ``faults``: on a host that has nothing of the kind.
    """

    name: str
    group: str
    act: Callable[[Facts], str | Seen]
    apart: bool = False
    faults: bool = False


def refusal(error: OSError) -> str:
    """The errno's name where there is one: short, and the same on every host."""
    return errno.errorcode.get(error.errno or 0, str(error) or type(error).__name__)


def told(probe: Probe, facts: Facts) -> Mapping[str, str]:
    """Makes the attempt; what comes of it."""
    try:
        found = probe.act(facts)
        result, detail = ("seen", found.text) if isinstance(found, Seen) else ("done", found)
    except Absent as why:
        result, detail = "absent", str(why)
    except OSError as error:
        result, detail = "refused", refusal(error)
    except Exception as error:  # noqa: BLE001  it must not take the other probes with it, and counts as broken
        result, detail = "failed", repr(error)
    return line(probe, result, detail)


def line(probe: Probe, result: str, detail: str) -> Mapping[str, str]:
    """As it is sent."""
    return {"name": probe.name, "group": probe.group, "result": result, "detail": detail}
