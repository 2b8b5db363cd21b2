"""Taking down the calls of one attempt, so that equal talks give equal content and every byte comes back."""

from collections.abc import Mapping, Sequence

from harness.errors import HarnessError
from harness.store.blobs import Blobs
from harness.store.canonical import JSON
from harness.store.cutting import Writer
from harness.store.digests import digest
from harness.store.observed import CallObserved
from harness.store.record import Call
from harness.store.volatile import Ids, restore


class Recorder:
    """Takes down calls in their order; what it holds then goes into the record's two halves."""

    def __init__(self, blobs: Blobs) -> None:
        self._writer = Writer(blobs)
        self._ids = Ids()
        self._calls: list[Call] = []
        self._observed: list[CallObserved] = []

    def call(
        self,
        *,
        request: bytes,
        answer: bytes,
        status: int,
        finish_reason: str | None,
        text: str | None,
        started_ns: int,
        ended_ns: int,
        tries: Sequence[Mapping[str, JSON]] = (),
    ) -> None:
        """Keep one call: the very bytes of both bodies, the HTTP status, what was parsed, times (ns since 1970), tries.

        Large parts go into blobs at once. Raises NoSpaceError or HarnessError as the store does.
        """
        question = self._ids.request(request)
        template, fields = self._ids.answer(answer)
        if restore(question, self.ids, {}) != request or restore(template, self.ids, fields) != answer:
            raise HarnessError("A call's bytes can't be rebuilt from what would be kept of them. Please report this.")
        self._calls.append(
            Call(
                status=status,
                request=self._writer.request(question),
                answer=self._writer.literal(template),
                finish_reason=finish_reason,
                text=text,
            )
        )
        self._observed.append(
            CallObserved(
                started_ns=started_ns,
                ended_ns=ended_ns,
                request_sha256=digest(request),
                answer_sha256=digest(answer),
                fields=fields,
                tries=tuple(tries),
            )
        )

    @property
    def calls(self) -> tuple[Call, ...]:
        """For `Content.calls`."""
        return tuple(self._calls)

    @property
    def observed(self) -> tuple[CallObserved, ...]:
        """For `Observed.calls`."""
        return tuple(self._observed)

    @property
    def ids(self) -> tuple[str, ...]:
        """For `Observed.ids`."""
        return tuple(self._ids)
