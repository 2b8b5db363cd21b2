"""The record of one attempt, in two halves.

``content`` is what was asked and answered: the same whenever and wherever the same talk takes place. Content digests
are over its canonical bytes alone. ``observed`` is all that belongs to a place and time. The values that were taken out
of the content's templates (`harness.store.volatile`) stand in the pack: with them the very bytes come back.

All text in it passes through `harness.store.canonical.escape_all`. As JSON::

    content:  format, task, repeat
              prompt        SHA-256 of the prompt's blob
              images        [{name, blob}]: the prompt's images
              calls         all accepted calls in order: [{status, request, answer, finish_reason}]
                            request and answer: SHA-256 of their templates, which stand in the pack
              chain         indices of the calls that are the trajectory; all others are off the chain
              answer, finish_reason     of the last call on the chain, or null
              image_ok      whether the chain's first request held the prompt's images
              flags         sorted texts
              outcome       {kind, masked, failure_kind, reason}: reason only where each run would give the same one
    observed: see `harness.store.observed`
"""

from collections.abc import Sequence

import attrs

from harness.errors import CanonicalError
from harness.store.canonical import JSON, dumps, escape_all, loads_strict, unescape_all
from harness.store.digests import Digest, digest
from harness.store.fields import Fields, integer, text
from harness.store.observed import Observed

FORMAT = 3


@attrs.frozen
class PromptImage:
    """An image of the prompt."""

    name: str
    blob: Digest


@attrs.frozen(kw_only=True)
class Call:
    """One question to the model and its answer, by the digests of their templates."""

    status: int  # HTTP
    request: Digest
    answer: Digest
    finish_reason: str | None


@attrs.frozen(kw_only=True)
class Outcome:
    """How an attempt ended; ``masked`` says that it is no valid measurement."""

    kind: str
    masked: bool
    failure_kind: str | None
    reason: str | None


def _sorted(flags: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(set(flags)))


@attrs.frozen(kw_only=True)
class Content:
    """What was asked and answered."""

    task: str
    repeat: int
    prompt: Digest
    images: tuple[PromptImage, ...]
    calls: tuple[Call, ...]
    chain: tuple[int, ...]
    answer: str | None
    finish_reason: str | None
    image_ok: bool
    flags: tuple[str, ...] = attrs.field(converter=_sorted)
    outcome: Outcome

    @property
    def off_chain(self) -> tuple[int, ...]:
        """The calls that are no part of the trajectory."""
        return tuple(index for index in range(len(self.calls)) if index not in self.chain)

    @property
    def digest(self) -> Digest:
        """The content digest."""
        return digest(dumps(escape_all(self.to_json())))

    def to_json(self) -> JSON:
        """The half as it stands in the record."""
        return {
            "format": FORMAT,
            "task": self.task,
            "repeat": self.repeat,
            "prompt": self.prompt,
            "images": [attrs.asdict(image) for image in self.images],
            "calls": [attrs.asdict(call) for call in self.calls],
            "chain": list(self.chain),
            "answer": self.answer,
            "finish_reason": self.finish_reason,
            "image_ok": self.image_ok,
            "flags": list(self.flags),
            "outcome": attrs.asdict(self.outcome),
        }


@attrs.frozen
class AttemptRecord:
    """One attempt: what was asked and answered, and what was observed."""

    content: Content
    observed: Observed

    def to_bytes(self) -> bytes:
        """The record's file: canonical JSON."""
        return dumps(escape_all({"content": self.content.to_json(), "observed": self.observed.to_json()}))

    @classmethod
    def from_bytes(cls, data: bytes) -> "AttemptRecord":
        """Read a record strictly; raises CanonicalError."""
        fields = Fields(unescape_all(loads_strict(data, canonical=True)), "the record")
        record = cls(_content(fields.any("content")), Observed.from_json(fields.any("observed")))
        fields.end()
        if len(record.content.calls) != len(record.observed.calls):
            raise CanonicalError("The record's two halves have different numbers of calls.")
        if record.to_bytes() != data:
            raise CanonicalError("The record is not as this version of the harness writes it.")
        return record

    def blobs(self) -> set[Digest]:
        """Every blob that the record names, those in its pack too."""
        names = {self.content.prompt, *(image.blob for image in self.content.images)}
        pack = self.observed.pack
        return names | self.observed.filters() | (set() if pack is None else {pack.blob, *pack.names})


def _content(value: JSON) -> Content:
    fields = Fields(value, "the record's content")
    version = fields.integer("format")
    if version != FORMAT:
        raise CanonicalError(f"The record's format is {version}; this version of the harness reads {FORMAT}.")
    content = Content(
        task=fields.text("task"),
        repeat=fields.integer("repeat"),
        prompt=fields.digest("prompt"),
        images=fields.items("images", _image),
        calls=fields.items("calls", _call),
        chain=fields.items("chain", integer),
        answer=fields.optional("answer", fields.text),
        finish_reason=fields.optional("finish_reason", fields.text),
        image_ok=fields.flag("image_ok"),
        flags=fields.items("flags", text),
        outcome=_outcome(fields.any("outcome")),
    )
    fields.end()
    if any(index >= len(content.calls) for index in content.chain):
        raise CanonicalError("The record's chain names a call that it doesn't hold.")
    return content


def _image(value: JSON) -> PromptImage:
    fields = Fields(value, "an image")
    image = PromptImage(fields.text("name"), fields.digest("blob"))
    fields.end()
    return image


def _call(value: JSON) -> Call:
    fields = Fields(value, "a call")
    call = Call(
        status=fields.integer("status"),
        request=fields.digest("request"),
        answer=fields.digest("answer"),
        finish_reason=fields.optional("finish_reason", fields.text),
    )
    fields.end()
    return call


def _outcome(value: JSON) -> Outcome:
    fields = Fields(value, "the outcome")
    outcome = Outcome(
        kind=fields.text("kind"),
        masked=fields.flag("masked"),
        failure_kind=fields.optional("failure_kind", fields.text),
        reason=fields.optional("reason", fields.text),
    )
    fields.end()
    return outcome
