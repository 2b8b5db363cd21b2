"""Reading a tar that somebody else made."""

import tracemalloc
from pathlib import Path

import pytest

from harness.errors import StoreCorruptError
from harness.store.archive import tar
from harness.store.foreign import tars
from harness.store.foreign.limits import Limits
from harness.store.foreign.spans import opened

LIMITS = Limits(file=100, total=1000, entries=10_000, depth=4)
LONG = "/".join([250 * "a", 250 * "b", 240 * "c"])


def _write(path: Path, count: int) -> Path:
    path.write_bytes(b"".join(tar.header(f"{LONG}{number:07}", 0) for number in range(count)) + tar.END)
    return path


def test_of_the_names_of_an_archive_little_is_held(tmp_path: Path) -> None:
    """A million of them, each as long as it may be, must fit into less than 300 MB."""
    path, count = _write(tmp_path / "many.tar", 2000), 0
    with opened(path) as span:
        tracemalloc.start()
        for _ in tars.members(span, LIMITS):
            count += 1
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert count == 2000
    assert peak < 200 * count


def test_a_long_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.tar"
    path.write_bytes(2 * tar.header(LONG, 0) + tar.END)
    with opened(path) as span, pytest.raises(StoreCorruptError, match="twice"):
        list(tars.members(span, LIMITS))
