import os

import pytest

from harness.gateway.packed import Packed


@pytest.mark.parametrize("data", [b"", b"x", b"data: x\n\n" * 1000, os.urandom(1000)])
def test_bytes_come_back(data: bytes) -> None:
    for kept in (Packed.pack(data), Packed.plain(data)):
        assert kept.data() == data
        assert kept.size == len(data)
        assert kept.held <= len(data)


def test_what_repeats_takes_little() -> None:
    assert Packed.pack(b"data: x\n\n" * 1000).held < 200
