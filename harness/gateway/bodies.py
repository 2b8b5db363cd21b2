"""Request bodies in memory: each repeats the one before, so only what differs is held."""

import attrs

from harness.store.cutting import common_prefix


@attrs.frozen
class Body:
    """A body: the first ``shared`` bytes of the one before it, and the rest."""

    before: "Body | None" = attrs.field(repr=False)
    shared: int
    rest: bytes = attrs.field(repr=False)

    def data(self) -> bytes:
        """The whole body."""
        pieces: list[bytes] = []
        body: Body | None = self
        wanted = self.shared + len(self.rest)
        while body is not None and wanted > 0:
            if wanted > body.shared:
                pieces.append(body.rest[: wanted - body.shared])
                wanted = body.shared
            body = body.before
        return b"".join(reversed(pieces))


class Bodies:
    """The bodies of one sandbox, in order; ``held`` is how many bytes they take."""

    def __init__(self) -> None:
        self.held = 0
        self._last: tuple[Body, bytes] | None = None

    def add(self, data: bytes) -> Body:
        """Keeps one more body."""
        if self._last is None:
            body = Body(None, 0, data)
        else:
            shared = common_prefix(self._last[1], data)
            body = Body(self._last[0], shared, data[shared:])
        self.held += len(body.rest)
        self._last = (body, data)
        return body
