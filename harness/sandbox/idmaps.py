"""Maps of ids between a user namespace and the one above it, as /proc/PID/uid_map and gid_map hold them. Pure."""

from collections.abc import Iterable, Iterator

import attrs

from harness.sandbox.subids import IdRange


@attrs.frozen
class Extent:
    """``count`` ids from ``here`` on inside are those from ``there`` on as they are counted above."""

    here: int
    there: int
    count: int


Map = tuple[Extent, ...]


def parse(text: str) -> Map:
    """The text of a uid_map or gid_map; raises ValueError for any other."""
    return tuple(Extent(*map(int, line.split())) for line in text.splitlines())


def text(extents: Iterable[Extent]) -> str:
    """What `parse` reads."""
    return "".join(f"{one.here} {one.there} {one.count}\n" for one in extents)


def above(ids: IdRange, extents: Iterable[Extent]) -> Iterator[IdRange]:
    """The same ids as they are counted above, in one piece for each extent; those that are not mapped are left out."""
    for one in extents:
        first, end = max(ids.first, one.here), min(ids.first + ids.count, one.here + one.count)
        if first < end:
            yield IdRange(one.there + first - one.here, end - first)


def others(extents: Iterable[Extent]) -> IdRange:
    """The largest range of mapped ids beside 0, as they are counted inside."""
    ranges = (IdRange(one.here, one.count) if one.here else IdRange(1, one.count - 1) for one in extents)
    return max(ranges, key=lambda found: found.count, default=IdRange(1, 0))


def holds(extents: Iterable[Extent], ids: IdRange) -> bool:
    """Whether every one of ``ids`` is mapped, by a single extent."""
    return any(one.here <= ids.first and ids.first + ids.count <= one.here + one.count for one in extents)
