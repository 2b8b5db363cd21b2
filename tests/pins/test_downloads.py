"""How downloads are put into batches."""

import pytest

from fetching.catalog import Pin
from fetching.downloads import BATCH_BYTES, BATCH_FILES, batches


def pin(name: str, size: int, kind: str = "wheel") -> Pin:
    return Pin(kind, name, "1", f"{name}.whl", f"{name}.whl", size, "0" * 64)


def test_a_batch_holds_one_kind() -> None:
    lots = batches([pin("a", 1), pin("b", 1, "deb"), pin("c", 1, "npm"), pin("d", 1)])
    assert sorted(sorted(each.name for each in lot) for lot in lots) == [["a", "d"], ["b"], ["c"]]


def test_no_pin_is_lost_or_doubled() -> None:
    pins = [pin(f"p{number}", number * 1_000_000) for number in range(1, 60)]
    assert sorted(each.name for lot in batches(pins) for each in lot) == sorted(each.name for each in pins)


@pytest.mark.parametrize("size", [1, BATCH_BYTES // 3, BATCH_BYTES - 1])
def test_batches_keep_within_their_limits(size: int) -> None:
    for lot in batches([pin(f"p{number}", size) for number in range(40)]):
        assert len(lot) <= BATCH_FILES
        assert sum(each.size for each in lot) <= BATCH_BYTES


def test_a_large_file_goes_alone_and_first() -> None:
    lots = batches([pin("small", 1), pin("large", 2 * BATCH_BYTES), pin("tiny", 1)])
    assert [[each.name for each in lot] for lot in lots] == [["large"], ["small", "tiny"]]
