"""Which ids of the host a slot's are, through one namespace or two."""

from harness.sandbox.hostids import GROUPS, HostIds, Ids, told
from harness.sandbox.idmaps import Extent
from harness.sandbox.subids import IdRange

MACHINE = (Extent(0, 0, 4294967295),)
USUAL = Ids((Extent(0, 999, 1), Extent(1, 100000, 65536)), (Extent(0, 998, 1), Extent(1, 200000, 65536)))
WITHIN = Ids((Extent(0, 0, 1), Extent(1, 1, 65536)), (Extent(0, 0, 1), Extent(1, 1, 65536)))
SLOT = IdRange(2001, 2000)
ON_HOST = (IdRange(102000, 2000), IdRange(GROUPS + 202000, 2000))


def test_the_usual_namespace_is_right_below_the_host() -> None:
    assert HostIds(USUAL, Ids(MACHINE, MACHINE)).of(SLOT) == ON_HOST


def test_within_a_namespace_of_the_host_the_same_ids_are_held() -> None:
    assert HostIds(WITHIN, USUAL).of(SLOT) == ON_HOST


def test_ids_out_of_several_ranges_of_the_host() -> None:
    outer = (Extent(0, 999, 1), Extent(1, 100000, 3000), Extent(3001, 500000, 3000))
    assert HostIds(WITHIN, Ids(outer, outer)).of(SLOT) == (
        *(IdRange(102000, 1000), IdRange(500000, 1000)),
        *(IdRange(GROUPS + 102000, 1000), IdRange(GROUPS + 500000, 1000)),
    )


def test_deeper_down_nothing_is_known() -> None:
    assert HostIds(WITHIN, None).of(SLOT) is None


def test_what_was_told_is_read_again() -> None:
    assert Ids.parse(USUAL.text()) == USUAL


def test_this_process_tells_its_own_or_that_nothing_is_known() -> None:
    assert told() in (Ids.here().text(), "unknown")
