"""Reading a tar file that somebody else made: each byte of it is accounted for, and no content is held in memory."""

import hashlib
from collections.abc import Iterator
from typing import Final

import attrs

from harness.errors import CanonicalError, StoreCorruptError
from harness.store.foreign import headers
from harness.store.foreign.limits import Count, Limits
from harness.store.foreign.spans import Span

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


def members(span: Span, limits: Limits) -> Iterator[Member]:
    """The files and folders of a tar, in order.

    Raises StoreCorruptError for all else in it (it names the byte or the name), for a name that stands twice or leads
    out of the tar, and beyond a limit.
    """
    at, count, names = 0, Count(limits), set[bytes]()
    while True:
        start, long = at, dict[str, str]()
        block = span.read(at, headers.BLOCK)
        if not any(block):
            return _check_tail(span, at)
        said = _parsed(span, at, block)
        at += headers.BLOCK
        if said.kind == headers.PAX:
            long, at = _pax(span, at, said.size)
            said = _parsed(span, at, span.read(at, headers.BLOCK))
            at += headers.BLOCK
        name, size = long.get("path", said.name), _size(span, at, long, said.size)
        if said.kind not in (headers.FILE, headers.FOLDER) or (said.kind == headers.FOLDER and size):
            kind = headers.KINDS.get(said.kind, f"of type {said.kind!r}")
            raise StoreCorruptError(f"{span.path} holds {name!r}, which is {kind}: an archive holds plain files only.")
        _check_name(span, name, names)
        beyond = count.add(name.encode(), size)
        if beyond is not None:
            raise StoreCorruptError(f"{span.path} holds more than is read: {beyond}.")
        yield Member(name, span.part(at, size), span.read(start, at - start), said.kind == headers.FOLDER)
        _check_zeros(span, at + size, -size % headers.BLOCK)
        at += size + -size % headers.BLOCK


def _check_name(span: Span, name: str, names: set[bytes]) -> None:
    """``names`` has a digest of each: a million names of a kilobyte would take a gigabyte."""
    if name.startswith("/") or ".." in name.split("/") or "\0" in name:
        raise StoreCorruptError(f"{span.path} holds {name!r}, which leads out of it.")
    known = hashlib.blake2b(name.encode(), digest_size=16).digest()
    if known in names:
        raise StoreCorruptError(f"{span.path} holds {name!r} twice.")
    names.add(known)


def _parsed(span: Span, at: int, block: bytes) -> headers.Header:
    try:
        return headers.parse(block)
    except CanonicalError as error:
        raise _damaged(span, at, str(error)) from error


def _pax(span: Span, at: int, size: int) -> tuple[dict[str, str], int]:
    """What a pax header says, and where it ends."""
    if size > _PAX_MAX:
        raise _damaged(span, at, f"a pax header of {size} bytes stands there")
    try:
        found = headers.pax_records(span.read(at, size))
    except CanonicalError as error:
        raise _damaged(span, at, str(error)) from error
    _check_zeros(span, at + size, -size % headers.BLOCK)
    return found, at + size + -size % headers.BLOCK


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
    if tail < len(headers.END):
        raise StoreCorruptError(f"{span.path} is cut short: its end is missing.")
    if tail > _TAIL_MAX:
        raise _damaged(span, at, f"{tail} bytes follow its end")
    _check_zeros(span, at, tail)


def _damaged(span: Span, at: int, why: str) -> StoreCorruptError:
    return StoreCorruptError(f"{span.path} is damaged at byte {span.start + at}: {why}.")
