"""What the judge said and what it was worth: the judge/ and scores/ of a run folder.

Each call of the judge is kept before it is used, by the digest of the whole request: grading again reads it there. A
score can be written again (after the judge was asked once more), a judge's call never.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs

from harness.errors import CanonicalError, StoreCorruptError
from harness.store import atomic, reading
from harness.store.canonical import JSON, dumps, escape_all, loads_strict, unescape_all
from harness.store.digests import Digest, digest
from harness.store.layout import Layout


@attrs.frozen
class Grades:
    """The grading half of a run folder; raises as `harness.store.atomic` does, StoreCorruptError for damaged files."""

    layout: Layout

    def write_judge(self, request: JSON, call: Mapping[str, JSON]) -> int:
        """Keep a call of the judge together with its request, under the next free number, which is returned."""
        data = dumps(escape_all({**call, "request": request}))
        name = request_digest(request)
        number = len(self._judge_numbers(name))
        while not atomic.publish(self.layout.judge_call(name, number), data):
            number += 1
        return number

    def judge_calls(self, request: JSON) -> list[Mapping[str, JSON]]:
        """All calls of the judge with this very request, in the order of their numbers."""
        name = request_digest(request)
        return [read_judge_call(self.layout.judge_call(name, number)) for number in self._judge_numbers(name)]

    def write_score(self, scorer: Digest, task: str, repeat: int, score: Mapping[str, JSON]) -> None:
        """Keep a rollout's score, in place of one that is there."""
        atomic.write(self.layout.score(scorer, task, repeat), dumps(escape_all(score)))

    def score(self, scorer: Digest, task: str, repeat: int) -> Mapping[str, JSON] | None:
        """A rollout's score, if there is one."""
        path = self.layout.score(scorer, task, repeat)
        return read_object(path) if path.is_file() else None

    def scores(self, scorer: Digest) -> Iterator[tuple[str, int, Mapping[str, JSON]]]:
        """Task, repeat and score of all that one scorer scored."""
        for task, folder in reading.tasks(self.layout.scores / scorer):
            for repeat in sorted(reading.number(folder, name) for name in reading.json_names(folder)):
                yield task, repeat, read_object(folder / f"{repeat}.json")

    def _judge_numbers(self, request: Digest) -> list[int]:
        folder = self.layout.judge / request
        return sorted(reading.number(folder, name) for name in reading.json_names(folder))


def request_digest(request: JSON) -> Digest:
    """What a request to the judge is kept under."""
    return digest(dumps(escape_all(request)))


def read_judge_call(path: Path) -> Mapping[str, JSON]:
    """One call of the judge; raises StoreCorruptError where its folder is named after another request."""
    call = read_object(path)
    if request_digest(call.get("request")) != path.parent.name:
        raise StoreCorruptError(f"{path} is damaged: it holds another request than its folder's name says.")
    return call


def read_object(path: Path) -> Mapping[str, JSON]:
    """A file that holds one canonical JSON object; raises StoreCorruptError for any other."""
    with reading.corrupt(path):
        value = unescape_all(loads_strict(path.read_bytes(), canonical=True))
        if not isinstance(value, Mapping):
            raise CanonicalError("It holds no JSON object.")
    return value
