"""What grading and the summary need of an attempt's record: small, so that no run holds its records in memory."""

import json
from typing import Any, Self

import attrs

from harness.errors import CanonicalError
from harness.grading.item import Ended
from harness.run.egress.sums import Sent
from harness.sandbox.egress import Claim
from harness.store.canonical import unescape_all
from harness.store.observed import under_way
from harness.store.record import AttemptRecord


@attrs.frozen(kw_only=True)
class Facts:
    """Of one attempt; times in nanoseconds."""

    ended: Ended
    flags: tuple[str, ...]
    started_ns: int
    played_ns: int
    waited_ns: int  # for the policy's endpoint
    sent: Sent

    @property
    def kind(self) -> str:
        """The name of its outcome."""
        return self.ended.kind

    @classmethod
    def of(cls, record: AttemptRecord) -> Self:
        """Of a record."""
        return cls.read(record.to_bytes())

    @classmethod
    def read(cls, data: bytes) -> Self:
        """Of a record's bytes, whose digest was checked: they are what a writer of this format wrote.

        Raises CanonicalError for all else.
        """
        try:
            value: Any = json.loads(data)
            content, observed = value["content"], value["observed"]
            # Only lone surrogates, and texts that look like one, were escaped.
            if b"\\ud" in data:
                content = unescape_all({name: content[name] for name in ("outcome", "answer", "flags")})
            started, ended = int(observed["started_ns"]), int(observed["ended_ns"])
            calls = [(int(call["started_ns"]), int(call["ended_ns"])) for call in observed["calls"]]
            return cls(
                ended=Ended.of(content),
                flags=tuple(content["flags"]),
                started_ns=started,
                played_ns=max(0, ended - started),
                waited_ns=under_way(calls),
                sent=Sent.of(Claim.read(value["content"], observed)),
            )
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise CanonicalError(f"This is no record: {error!r}.") from error
