"""Ranges of subordinate ids: reading /etc/subuid and /etc/subgid, and choosing one."""

from collections.abc import Iterable

import attrs

from harness.errors import HostUnfitError

#: Ids that each sandbox gets for itself; OpenCode and the shell need one, Debian's own users reach to 999 and nobody's
#: number is mapped to by nothing.
SLOT_IDS = 2000
#: What an administrator is told to give: Debian's own default, enough for 32 sandboxes.
USUAL_IDS = 65536
FIRST_USUAL_ID = 100000
#: The kernel's number for no id at all, and how many digits it has.
NO_ID = (1 << 32) - 1
DIGITS = 10


@attrs.frozen
class IdRange:
    """``count`` ids of the host from ``first`` on."""

    first: int
    count: int


def _range(line: str) -> tuple[str, IdRange] | None:
    """The owner and the range of a line; None where it is none, or has numbers that are no ids."""
    fields = line.split("#")[0].strip().split(":")
    if len(fields) != 3 or not all(field.isdecimal() and len(field) <= DIGITS for field in fields[1:]):
        return None
    found = IdRange(int(fields[1]), int(fields[2]))
    return (fields[0], found) if found.first + found.count <= NO_ID else None


def parse(text: str, names: Iterable[str]) -> tuple[IdRange, ...]:
    """The ranges that one of ``names`` (user name, or uid as text) owns; lines that can't be read are left out."""
    wanted = set(names)
    found = filter(None, map(_range, text.splitlines()))
    return tuple(ids for owner, ids in found if owner in wanted)


def free_start(text: str) -> int:
    """The first id above every range in ``text``: what a new range may start with."""
    ranges = (ids for _, ids in filter(None, map(_range, text.splitlines())))
    return max([FIRST_USUAL_ID, *(ids.first + ids.count for ids in ranges)])


def choose(text: str, names: Iterable[str], file: str, *, in_passwd: bool = True) -> IdRange:
    """The user's largest range in ``text``, the content of ``file``.

    ``in_passwd``: whether the user is in /etc/passwd; usermod knows no others.

    Raises:
        HostUnfitError: there is none, or it is too small for one sandbox; the text holds the command that helps.
    """
    names = tuple(names)
    ranges = parse(text, names)
    best = max(ranges, key=lambda found: found.count, default=None)
    if best is not None and best.count >= SLOT_IDS:
        return best
    option = "--add-subuids" if file.endswith("subuid") else "--add-subgids"
    first = free_start(text)
    state = f"a range of only {best.count} ids" if best else "no range of ids"
    command = f"usermod {option} {first}-{first + USUAL_IDS - 1} {names[0]}"
    if not in_passwd:
        command = f"echo {names[0]}:{first}:{USUAL_IDS} >> {file}"
    raise HostUnfitError(f"{file} gives user {names[0]} {state}; a sandbox needs {SLOT_IDS}.", f"As root: {command}")
