"""Maps of ids between user namespaces."""

import pytest

from harness.sandbox import idmaps
from harness.sandbox.idmaps import Extent
from harness.sandbox.subids import IdRange

OURS = (Extent(0, 999, 1), Extent(1, 100000, 65536))


def test_a_map_is_read_as_the_kernel_writes_it() -> None:
    assert idmaps.parse("         0        999          1\n         1     100000      65536\n") == OURS
    assert idmaps.parse(idmaps.text(OURS)) == OURS


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (IdRange(1, 2000), [IdRange(100000, 2000)]),
        (IdRange(2001, 2000), [IdRange(102000, 2000)]),
        (IdRange(0, 3), [IdRange(999, 1), IdRange(100000, 2)]),
        (IdRange(65535, 10), [IdRange(165534, 2)]),
        (IdRange(70000, 10), []),
    ],
)
def test_ids_as_they_are_counted_above(ids: IdRange, expected: list[IdRange]) -> None:
    assert list(idmaps.above(ids, OURS)) == expected


@pytest.mark.parametrize(
    ("mapped", "expected"),
    [
        (OURS, IdRange(1, 65536)),
        ((Extent(0, 100000, 65536),), IdRange(1, 65535)),
        ((Extent(0, 999, 1),), IdRange(1, 0)),
        ((), IdRange(1, 0)),
        ((Extent(0, 1, 1000), Extent(1000, 0, 1), Extent(1001, 1001, 64536)), IdRange(1001, 64536)),
    ],
)
def test_what_is_mapped_beside_root(mapped: idmaps.Map, expected: IdRange) -> None:
    assert idmaps.others(mapped) == expected


def test_a_range_is_held_by_one_extent_or_not_at_all() -> None:
    assert idmaps.holds(OURS, IdRange(1, 65536))
    assert not idmaps.holds(OURS, IdRange(1, 65537))
    assert not idmaps.holds(OURS, IdRange(0, 2))
