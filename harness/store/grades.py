"""What the judge said and what it was worth: the judge/ and scores/ of a run folder.

Each call of the judge is kept before it is used, by the digest of the whole request: grading again reads it there. A
score can be written again (after the judge was asked once more), a judge's call never.

All files are sealed (`harness.store.sealed`). In a kept request the text of each system message, which is the same in
thousands of them, is ``{"blob": SHA256}``; the digest that names the folder is that of the whole request.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import attrs

from harness.errors import CanonicalError, StoreCorruptError
from harness.store import atomic, reading, together
from harness.store.blobs import Blobs
from harness.store.canonical import JSON, dumps_escaped, escape_surrogates, unescape_surrogates
from harness.store.digests import Digest, digest, parse_digest
from harness.store.layout import Layout
from harness.store.outdating import outdate
from harness.store.sealed import seal, unseal

Object = Mapping[str, JSON]


@attrs.frozen
class Grades:
    """The grading half of a run folder; raises as `harness.store.atomic` does, StoreCorruptError for damaged files."""

    layout: Layout

    @property
    def blobs(self) -> Blobs:
        """Where the texts of system messages are."""
        return Blobs(self.layout.blobs)

    def write_judge(self, request: Object, call: Object) -> int:
        """Keep a call of the judge together with its request, under the next free number, which is returned."""
        data = seal({**call, "request": _shared(request, self.blobs.put)})
        if self.layout.blobs.is_dir():
            # A blob may be another writer's, renamed but not yet flushed.
            with atomic.explained(self.layout.blobs):
                atomic.sync_folder(self.layout.blobs)
        name = request_digest(request)
        number = len(_numbers(self.layout.judge_calls(name)))
        outdate(self.layout)
        while not atomic.publish(self.layout.judge_call(name, number), data):
            number += 1
        return number

    def judge_calls(self, request: Object, name: Digest | None = None) -> dict[int, Object]:
        """All calls of the judge with this very request, by their numbers; ``name``: its digest, where it is known."""
        name = name or request_digest(request)
        kept = _shared(request, digest)
        folder = self.layout.judge_calls(name)
        return {number: self._call(folder / f"{number}.json", request, kept) for number in _numbers(folder)}

    def write_score(self, scorer: Digest, task: str, repeat: int, score: Object) -> None:
        """Keep a rollout's score, in place of one that is there."""
        outdate(self.layout)
        atomic.write(self.layout.score(scorer, task, repeat), seal(score))

    def write_scores(self, scorer: Digest, scores: Iterable[tuple[str, int, bytes]]) -> int:
        """Keep many scores as their sealed bytes; how many were not there as they are."""
        scores = list(scores)
        if scores:
            outdate(self.layout)
        return together.write_all((self.layout.score(scorer, task, repeat), data) for task, repeat, data in scores)

    def score(self, scorer: Digest, task: str, repeat: int) -> Object | None:
        """A rollout's score, if there is one."""
        path = self.layout.score(scorer, task, repeat)
        data = reading.read_if_there(path)
        if data is None:
            return None
        with reading.corrupt(path):
            return unseal(data)

    def scores(self, scorer: Digest) -> Iterator[tuple[str, int, Object]]:
        """Task, repeat and score of all that one scorer scored."""
        for task, folder in reading.tasks(self.layout.scores / scorer):
            for repeat in sorted(reading.number(folder, name) for name in reading.json_names(folder)):
                yield task, repeat, read_object(folder / f"{repeat}.json")

    def _call(self, path: Path, request: Object, kept: Object) -> Object:
        call = read_object(path)
        if call.get("request") != kept:
            read_judge_call(path, self.blobs)  # says what is wrong with it
            raise StoreCorruptError(f"{path} is damaged: its request is not written as it should be.")
        return {**call, "request": request}


def _numbers(folder: Path) -> list[int]:
    """The numbers of the calls in a folder, from 0."""
    numbers = sorted(reading.number(folder, name.removesuffix(".json")) for name in reading.names(folder))
    # A reply that is gone would make another one count.
    if numbers != list(range(len(numbers))):
        gone = min(set(range(len(numbers))) - set(numbers))
        raise StoreCorruptError(f"{folder / f'{gone}.json'} is missing. Restore it from a copy of the run.")
    return numbers


def request_digest(request: JSON) -> Digest:
    """What a request to the judge is kept under."""
    return digest(dumps_escaped(request))


def read_judge_call(path: Path, blobs: Blobs) -> Object:
    """One call of the judge; raises StoreCorruptError where its folder is named after another request."""
    call = read_object(path)
    with reading.corrupt(path):
        request = _whole(call.get("request"), blobs)
    if request_digest(request) != path.parent.name:
        raise StoreCorruptError(f"{path} is damaged: it holds another request than its folder's name says.")
    return {**call, "request": request}


def judge_blobs(path: Path) -> set[Digest]:
    """The blobs that a call of the judge names; raises StoreCorruptError."""
    found = set[Digest]()

    def note(content: JSON) -> JSON:
        found.update([_blob(content)] if isinstance(content, Mapping) else [])
        return content

    call = read_object(path)
    with reading.corrupt(path):
        _each_content(call.get("request"), note)
    return found


def read_object(path: Path) -> Object:
    """A sealed file's object; raises StoreCorruptError for any other file."""
    with reading.corrupt(path):
        return unseal(reading.read(path))


def _shared(request: Object, keep: Callable[[bytes], Digest]) -> Object:
    """The request as it is kept: each system message's text goes to ``keep``, and its digest stands there."""

    def share(content: JSON) -> JSON:
        if not isinstance(content, str):
            raise CanonicalError("A request to the judge has texts only.")
        return {"blob": keep(escape_surrogates(content).encode())}

    shared = _each_content(request, share)
    assert isinstance(shared, Mapping)
    return shared


def _whole(request: JSON, blobs: Blobs) -> JSON:
    """Undo `_shared`; raises CanonicalError or StoreCorruptError."""

    def read(content: JSON) -> JSON:
        return unescape_surrogates(blobs.get(_blob(content)).decode("utf-8", "replace"))

    return _each_content(request, read)


def _blob(content: JSON) -> Digest:
    match content:
        case {"blob": name, **rest} if not rest:
            return parse_digest(name)
        case _:
            raise CanonicalError("The text of a system message in it is no blob.")


def _each_content(request: JSON, change: Callable[[JSON], JSON]) -> JSON:
    """The request with the content of its system messages changed."""
    messages = request.get("messages") if isinstance(request, Mapping) else None
    if not isinstance(request, Mapping) or not isinstance(messages, list):
        return request
    return {**request, "messages": [_changed(message, change) for message in messages]}


def _changed(message: JSON, change: Callable[[JSON], JSON]) -> JSON:
    if not isinstance(message, Mapping) or message.get("role") != "system" or "content" not in message:
        return message
    return {**message, "content": change(message["content"])}
