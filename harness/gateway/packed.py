"""Bytes that are kept in memory for the record: compressed, since answers say the same things again and again."""

import zlib

import attrs


@attrs.frozen
class Packed:
    """Bytes; ``held`` is what they take, ``size`` what they have unpacked."""

    _data: bytes = attrs.field(repr=False)
    size: int
    _plain: bool

    @classmethod
    def plain(cls, data: bytes) -> "Packed":
        """As they are."""
        return cls(data, len(data), plain=True)

    @classmethod
    def pack(cls, data: bytes) -> "Packed":
        """Compressed; takes a tenth of a second for 10 MB of an event stream."""
        packed = zlib.compress(data, 1)
        return cls(packed, len(data), plain=False) if len(packed) < len(data) else cls.plain(data)

    @property
    def held(self) -> int:
        """Bytes in memory."""
        return len(self._data)

    def data(self) -> bytes:
        """The bytes as they were."""
        return self._data if self._plain else zlib.decompress(self._data)
