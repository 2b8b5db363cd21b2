"""Which ids of the host those of the harness's namespace are, so that no other harness takes the same ones.

The kernel shows a namespace's ids as the one above counts them. The process that makes ours is one level higher and
tells its own map too. That is enough where it is on the host itself, or in a namespace of the host's. Deeper down the
host's numbers can't be known by any means: there the ids are held as if they were all of the host's, so that only one
such harness makes sandboxes at a time, and none beside it (`harness.sandbox.slots`).
"""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

import attrs

from harness.sandbox import idmaps, nesting
from harness.sandbox.idmaps import Map
from harness.sandbox.subids import IdRange

#: What the process that made the namespace says of its own: two maps, divided by `DIVIDER`, or `UNKNOWN`.
OUTER: Final = "HARNESS_OUTER_IDS"
UNKNOWN: Final = "unknown"
DIVIDER: Final = ";"
#: The machine's own user namespace, by the kernel's fixed number (PROC_USER_INIT_INO).
INITIAL: Final = "user:[4026531837]"
#: A slot's groups are held as numbers above all users.
GROUPS: Final = 1 << 32


@attrs.frozen
class Ids:
    """The maps of a user namespace: of users and of groups."""

    users: Map
    groups: Map

    @classmethod
    def here(cls, proc: Path = Path("/proc/self")) -> Self:
        """This process's."""
        return cls(*(idmaps.parse((proc / name).read_text()) for name in ("uid_map", "gid_map")))

    def text(self) -> str:
        """For the environment."""
        return DIVIDER.join(map(idmaps.text, (self.users, self.groups)))

    @classmethod
    def parse(cls, text: str) -> Self:
        """What `text` gave."""
        users, groups = map(idmaps.parse, text.split(DIVIDER))
        return cls(users, groups)


def initial() -> bool:
    """Whether this process is in the machine's own user namespace."""
    return str(Path("/proc/self/ns/user").readlink()) == INITIAL


def depth() -> int:
    """How many user namespaces are above this process's own, at most."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", nesting.__file__], capture_output=True, text=True, check=True, env={}
    )
    return nesting.DEEPEST - int(done.stdout)


def told() -> str:
    """What is to stand in `OUTER`, said by the process that makes the namespace."""
    return Ids.here().text() if initial() or depth() == 1 else UNKNOWN


@attrs.frozen
class HostIds:
    """``own``: the maps of the harness's namespace; ``outer``: of the one above it, None where the host's numbers
    can't be known."""

    own: Ids
    outer: Ids | None

    @classmethod
    def found(cls, env: Mapping[str, str]) -> Self:
        """Inside the namespace, whose ``env`` holds what was told."""
        said = env.get(OUTER, UNKNOWN)
        return cls(Ids.here(), None if said == UNKNOWN else Ids.parse(said))

    def of(self, ids: IdRange) -> tuple[IdRange, ...] | None:
        """What to hold on the host for ``ids``, as users and as groups; None where it can't be known."""
        if self.outer is None:
            return None
        users = _host(ids, self.own.users, self.outer.users)
        groups = _host(ids, self.own.groups, self.outer.groups)
        return (*users, *(IdRange(GROUPS + one.first, one.count) for one in groups))


def _host(ids: IdRange, own: Map, outer: Map) -> list[IdRange]:
    return [host for middle in idmaps.above(ids, own) for host in idmaps.above(middle, outer)]
