"""The generated files: read, merged with what was resolved anew, compared and written."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fetching.catalog import KINDS
from fetching.problems import BadInputError
from resolving.entries import Entries, Members


@dataclass(frozen=True, slots=True)
class Pinned:
    """All generated files: entries and sets by kind, and the hash of the seed."""

    entries: Mapping[str, Entries]
    members: Mapping[str, Members]
    seed: Mapping[str, str]

    def files(self) -> dict[str, object]:
        """Content of each file."""
        return {
            **{f"{kind}.json": self.entries[kind] for kind in KINDS},
            "sets.json": self.members,
            "seed.json": self.seed,
        }


def load(folder: Path) -> Pinned:
    """What is pinned now; nothing, where a file does not exist yet.

    Raises:
        BadInputError: a file is no JSON.
    """

    def read(name: str, default: Callable[[], object]) -> object:
        path = folder / name
        try:
            return json.loads(path.read_text()) if path.exists() else default()
        except ValueError as error:
            raise BadInputError(f"{path} is no JSON: {error}. Take the repository's own, or delete it.") from error

    entries = {kind: read(f"{kind}.json", dict) for kind in KINDS}
    members = read("sets.json", lambda: {kind: {} for kind in KINDS})
    return Pinned(entries, members, read("seed.json", lambda: {"name": "busybox-seed", "sha256": ""}))  # type: ignore[arg-type]


def dumps(value: object) -> str:
    """The one form that the files are written in."""
    return json.dumps(value, indent=1, sort_keys=True) + "\n"


def write(pinned: Pinned, folder: Path) -> None:
    """Write all files, each whole."""
    for name, content in pinned.files().items():
        fresh = folder / f".{name}"
        fresh.write_text(dumps(content))
        fresh.replace(folder / name)


def changes(old: Pinned, new: Pinned) -> Iterator[str]:
    """A line for each difference."""
    for kind in KINDS:
        was, now = old.entries[kind], new.entries[kind]
        for name in sorted({*was, *now}):
            if name not in was:
                yield f"{kind}  + {name} {now[name]['version']}"
            elif name not in now:
                yield f"{kind}  - {name} {was[name]['version']}"
            elif was[name]["version"] != now[name]["version"]:
                yield f"{kind}  ~ {name} {was[name]['version']} -> {now[name]['version']}"
            elif was[name] != now[name]:
                yield f"{kind}  ! {name} {now[name]['version']}: same version, other file: {was[name]} -> {now[name]}"
        for set_name in sorted({*old.members[kind], *new.members[kind]}):
            before, after = (set(each.members[kind].get(set_name, ())) for each in (old, new))
            if before != after:
                moves = [f"+{name}" for name in sorted(after - before)] + [
                    f"-{name}" for name in sorted(before - after)
                ]
                yield f"{kind}  set {set_name}: {' '.join(moves)}"
    if old.seed != new.seed:
        yield f"seed  {old.seed['sha256']} -> {new.seed['sha256']}"
