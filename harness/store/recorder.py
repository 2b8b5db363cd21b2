"""Taking down the calls of one attempt, so that equal talks give equal content and every byte comes back."""

from collections.abc import Mapping, Sequence

import attrs

from harness.errors import HarnessError
from harness.store.blobs import Blobs
from harness.store.canonical import JSON
from harness.store.cutting import Writer
from harness.store.digests import Digest, digest
from harness.store.observed import CallObserved, PackRef, bodies_digest
from harness.store.pack import Pack
from harness.store.record import Call
from harness.store.segments import Body
from harness.store.values import Values
from harness.store.volatile import Ids, Runs, restore


@attrs.frozen
class _Taken:
    """One call: what content says of it, what was observed, its templates, what they lack, its bodies' digests."""

    call: Call
    observed: CallObserved
    request: Body
    answer: Body
    fields: Runs
    bodies: tuple[Digest, Digest]


class Recorder:
    """Takes down calls in their order and files beside them; what it holds then goes into the record's two halves."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._writer = Writer(blobs)
        self._ids = Ids()
        self._taken = list[_Taken]()
        self._artifacts = dict[str, tuple[Digest, Body]]()

    def call(
        self,
        *,
        request: bytes,
        answer: bytes,
        status: int,
        finish_reason: str | None,
        started_ns: int,
        ended_ns: int,
        tries: Sequence[Mapping[str, JSON]] = (),
    ) -> None:
        """Keep one call: the very bytes of both bodies, the HTTP status, what was parsed, times (ns since 1970), tries.

        Images and large shared parts go into blobs at once. Raises NoSpaceError or HarnessError as the store does.
        """
        question = self._ids.request(request)
        template, fields = self._ids.answer(answer)
        ids = tuple(self._ids)
        if restore(question, ids, {}) != request or restore(template, ids, fields) != answer:
            raise HarnessError("A call's bytes can't be rebuilt from what would be kept of them. Please report this.")
        taken = _Taken(
            Call(status=status, request=digest(question), answer=digest(template), finish_reason=finish_reason),
            CallObserved(started_ns=started_ns, ended_ns=ended_ns, tries=tuple(tries)),
            self._writer.request(question),
            self._writer.alone(template),
            fields,
            (digest(request), digest(answer)),
        )
        self._taken.append(taken)

    def artifact(self, name: str, data: bytes) -> None:
        """Keep a file that came out of the sandbox."""
        self._artifacts[name] = digest(data), self._writer.alone(data)

    def pack(self) -> PackRef | None:
        """Put everything that was taken down into one blob; None where there is nothing. Raises as the store does."""
        if not self._taken and not self._artifacts:
            return None
        values = Values(tuple(self._ids), tuple(one.fields for one in self._taken))
        pack = Pack(
            tuple(one.request for one in self._taken),
            tuple(one.answer for one in self._taken),
            {name: body for name, (_, body) in self._artifacts.items()},
            values,
        )
        bodies = bodies_digest([one.bodies for one in self._taken])
        return PackRef(self._blobs.put(pack.to_bytes()), tuple(sorted(pack.blobs())), bodies)

    @property
    def calls(self) -> tuple[Call, ...]:
        """For `Content.calls`."""
        return tuple(one.call for one in self._taken)

    @property
    def observed(self) -> tuple[CallObserved, ...]:
        """For `Observed.calls`."""
        return tuple(one.observed for one in self._taken)

    @property
    def artifacts(self) -> Mapping[str, Digest]:
        """For `Observed.artifacts`."""
        return {name: found for name, (found, _) in sorted(self._artifacts.items())}
