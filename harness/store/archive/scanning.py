"""Reading a tar file that somebody else made: each byte of it is accounted for."""

from collections.abc import Iterator
from typing import Final

import attrs

from harness.errors import CanonicalError, StoreCorruptError
from harness.store.archive import tar
from harness.store.archive.spans import Span

# A path has at most 4096 bytes on Linux (PATH_MAX), and other tools add times.
_PAX_MAX: Final = 64 * 2**10

# Tar pads to records of 10 KiB, or of what its user said; more zeros than this are no padding.
_TAIL_MAX: Final = 2**20


@attrs.frozen
class Member:
    """One file of a tar, or a folder, which has no bytes. ``header``: the blocks before the content."""

    name: str
    content: Span
    header: bytes
    folder: bool


def members(span: Span) -> Iterator[Member]:
    """The files and folders of a tar, in order; raises StoreCorruptError, which names the byte, for all else in it."""
    at = 0
    while True:
        start, long = at, dict[str, str]()
        block = span.read(at, tar.BLOCK)
        if not any(block):
            return _check_tail(span, at)
        said = _parsed(span, at, block)
        at += tar.BLOCK
        if said.kind == tar.PAX:
            long, at = _pax(span, at, said.size)
            said = _parsed(span, at, span.read(at, tar.BLOCK))
            at += tar.BLOCK
        name, size = long.get("path", said.name), _size(span, at, long, said.size)
        if said.kind not in (tar.FILE, tar.FOLDER) or (said.kind == tar.FOLDER and size):
            kind = tar.KINDS.get(said.kind, f"of type {said.kind!r}")
            raise StoreCorruptError(f"{span.path} holds {name!r}, which is {kind}: an archive holds plain files only.")
        yield Member(name, span.part(at, size), span.read(start, at - start), said.kind == tar.FOLDER)
        _check_zeros(span, at + size, -size % tar.BLOCK)
        at += size + -size % tar.BLOCK


def _parsed(span: Span, at: int, block: bytes) -> tar.Header:
    try:
        return tar.parse(block)
    except CanonicalError as error:
        raise _damaged(span, at, str(error)) from error


def _pax(span: Span, at: int, size: int) -> tuple[dict[str, str], int]:
    """What a pax header says, and where it ends."""
    if size > _PAX_MAX:
        raise _damaged(span, at, f"a pax header of {size} bytes stands there")
    try:
        found = tar.pax_records(span.read(at, size))
    except CanonicalError as error:
        raise _damaged(span, at, str(error)) from error
    _check_zeros(span, at + size, -size % tar.BLOCK)
    return found, at + size + -size % tar.BLOCK


def _size(span: Span, at: int, long: dict[str, str], size: int) -> int:
    text = long.get("size", str(size))
    if not (text.isascii() and text.isdecimal() and len(text) < 20):
        raise _damaged(span, at, f"a size of {text[:40]!r} stands there")
    return int(text)


def _check_zeros(span: Span, at: int, count: int) -> None:
    if any(span.read(at, count)):
        raise _damaged(span, at, "zeros were to stand there")


def _check_tail(span: Span, at: int) -> None:
    """Two blocks of zeros end a tar, and only zeros come after them."""
    tail = span.size - at
    if tail < len(tar.END):
        raise StoreCorruptError(f"{span.path} is cut short: its end is missing.")
    if tail > _TAIL_MAX:
        raise _damaged(span, at, f"{tail} bytes follow its end")
    _check_zeros(span, at, tail)


def _damaged(span: Span, at: int, why: str) -> StoreCorruptError:
    return StoreCorruptError(f"{span.path} is damaged at byte {span.start + at}: {why}.")
