"""The values that the templates of one attempt's bodies lack (`harness.store.volatile`), as they stand in its pack."""

from typing import Self

import attrs

from harness.errors import CanonicalError
from harness.store.canonical import JSON
from harness.store.fields import Fields, integer, mapping, text
from harness.store.volatile import Runs


@attrs.frozen
class Values:
    """The upstream's ids in order of appearance, and of each answer its fields' values."""

    ids: tuple[str, ...] = ()
    fields: tuple[Runs, ...] = ()

    def to_json(self) -> dict[str, JSON]:
        """``{ids, fields}``: texts; of each answer ``{name: [[value, how often it stands there in a row], ...]}``."""
        fields: JSON = [{name: [list(run) for run in runs] for name, runs in one.items()} for one in self.fields]
        return {"ids": list(self.ids), "fields": fields}

    @classmethod
    def from_json(cls, value: JSON) -> Self:
        """Read it strictly; raises CanonicalError."""
        given = Fields(value, "a pack's values")
        values = cls(given.items("ids", text), given.items("fields", _fields))
        given.end()
        return values


def _fields(value: JSON) -> Runs:
    return {name: Fields({name: runs}, "an answer's fields").items(name, _run) for name, runs in mapping(value).items()}


def _run(value: JSON) -> tuple[str, int]:
    match value:
        case [str(token), count]:
            return token, integer(count)
        case _:
            raise CanonicalError(f"{value!r} must be a value and how often it stands there.")
