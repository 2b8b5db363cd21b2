"""Tar headers: what any reader makes of ours, and what our reader takes."""

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import CanonicalError
from harness.store.archive import tar
from harness.store.foreign import headers

NAMES = st.text("abcXYZ019_.%-/", min_size=1, max_size=300).filter(lambda name: not name.endswith("/"))


@given(name=NAMES, size=st.integers(0, 2**50))
def test_pythons_reader_understands_our_headers(name: str, size: int) -> None:
    with tarfile.open(fileobj=io.BytesIO(tar.header(name, size)), mode="r:") as file:
        info = file.next()
    assert info is not None
    assert (info.name, info.size, info.mode, info.mtime) == (name, size, 0o644, 0)
    assert (info.uid, info.gid, info.uname, info.gname, info.type) == (0, 0, "", "", tarfile.REGTYPE)


def test_a_short_name_takes_one_block_and_a_long_one_three() -> None:
    assert len(tar.header("n" * 100, 8**11 - 1)) == 512
    assert len(tar.header("n" * 101, 1)) == len(tar.header("n", 8**11)) == 3 * 512


def test_the_bytes_of_a_header_are_these() -> None:
    block = tar.header("done/1/0", 300)
    assert block[:12] == b"done/1/0\0\0\0\0"
    assert block[100:157] == b"0000644\x000000000\x000000000\x0000000000454\x0000000000000\x00010357\x00 0"
    assert block[257:265] == b"ustar\x0000"
    assert block[329:345] == b"0000000\x000000000\x00"
    assert not any(block[265:329] + block[345:])


@given(name=NAMES.filter(lambda name: len(name) <= 100), size=st.integers(0, 8**11 - 1))
def test_a_header_comes_back(name: str, size: int) -> None:
    assert headers.parse(tar.header(name, size)) == headers.Header(name, size, headers.FILE)


@given(at=st.integers(0, 511), change=st.integers(1, 255))
def test_any_changed_byte_of_a_header_is_found(at: int, change: int) -> None:
    block = bytearray(tar.header("blobs/sha256/" + "a" * 64, 12345))
    block[at] ^= change
    with pytest.raises(CanonicalError, match="header"):
        headers.parse(bytes(block))


def test_a_prefix_is_part_of_the_name() -> None:
    info = tarfile.TarInfo("a" * 90 + "/" + "b" * 90)
    assert headers.parse(info.tobuf(tarfile.USTAR_FORMAT)).name == info.name


def test_pax_records_come_back() -> None:
    data = tar.header("n" * 300, 8**12)[512:1024].rstrip(b"\0")
    assert headers.pax_records(data) == {"path": "n" * 300, "size": str(8**12)}


@pytest.mark.parametrize(
    "data",
    [
        b"9 path=a\n0",
        b"x path=a\n",
        b"99 path=a\n",
        b"10 path=ab",
        b"5 path=a\n",
        b"14 linkpath=a\n",
        b"22 GNU.sparse.major=1\n",
        b"9 path=a\n9 path=b\n",
        b"9 path=\xff\n",
        b"20000000 path=a\n",
    ],
)
def test_any_other_pax_record_is_refused(data: bytes) -> None:
    with pytest.raises(CanonicalError, match="pax header"):
        headers.pax_records(data)


def test_times_in_a_pax_header_are_passed_over() -> None:
    assert headers.pax_records(b"22 mtime=1767225600.5\n9 path=a\n") == {"path": "a"}
