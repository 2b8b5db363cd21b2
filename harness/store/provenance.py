"""The provenance of a run: one in-toto statement, canonical JSON, of what was run and what came of it.

A function of the run folder. It holds names and digests only, no time, no host and no address::

    _type, predicateType    those of in-toto statements (v1) and of SLSA provenance (v1)
    subject                 [{name, digest}]: every file of the run but blobs, by its path; the records name the blobs
    predicate:
      buildDefinition:
        buildType                   `BUILD`
        externalParameters          {benchmark, model, manifest}: the manifest's digest, which is the run's identity
        internalParameters          {harness}: the store paths of the harnesses that played the run
        resolvedDependencies        [{name, digest}], by name: `tasks` (the data set), `rootfs` (the content of the
                                    sandbox's file tree), `pins`, `scorer` (what it is graded by), and each store path
                                    of the harnesses' closures with the digest of its NAR
      runDetails:
        builder                     {id}: `BUILDER`
        byproducts                  [{name: "content", digest}]: the run's content digest

Where a run was played by several harnesses, or in part by one that kept none of this, the lists have what is known.
"""

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Final

import attrs

from harness.store import reading
from harness.store.canonical import JSON, dumps_escaped
from harness.store.digests import Digest, parse_digest
from harness.store.fields import Fields, text
from harness.store.grades import read_object
from harness.store.layout import Layout
from harness.store.runfolder import RunFolder

STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "https://slsa.dev/provenance/v1"
BUILD: Final = "urn:hermetic-harness:run:v1"
BUILDER: Final = "urn:hermetic-harness:harness"

# How in-toto calls the digest of a file's bytes, and how it is called here where it is that of a NAR.
FILE: Final = "sha256"
NAR: Final = "narSha256"


@attrs.frozen(order=True)
class Part:
    """A store path of a closure, and its NAR's digest."""

    path: str
    nar_sha256: Digest

    @classmethod
    def from_json(cls, value: JSON) -> "Part":
        """As a start in observed/ has it; raises CanonicalError."""
        fields = Fields(value, "a store path")
        part = cls(fields.text("path"), fields.digest("nar_sha256"))
        fields.end()
        return part


@attrs.frozen(kw_only=True)
class Start:
    """What one start of a run says that it ran on; what an older harness did not say is None or empty."""

    started_ns: int
    harness: str | None
    pins: Digest | None
    closure: tuple[Part, ...]

    @classmethod
    def from_json(cls, value: Mapping[str, JSON]) -> "Start":
        """Of a file in observed/; raises CanonicalError."""
        known = ("started_ns", "build", "pins_sha256", "closure")
        fields = Fields({name: value.get(name) for name in known}, "a start")
        closure = fields.optional("closure", lambda name: fields.items(name, Part.from_json))
        return cls(
            started_ns=fields.nanoseconds("started_ns"),
            harness=fields.optional("build", fields.text) or _package(value),
            pins=fields.optional("pins_sha256", fields.digest),
            closure=closure or (),
        )


def starts(layout: Layout, names: Iterable[str] | None = None) -> list[Start]:
    """The starts of a run by their times; ``names`` (all): files in observed/, relative to the run folder.

    Raises StoreCorruptError.
    """
    if names is None:
        names = [f"observed/{name}.json" for name in reading.json_names(layout.observed)]
    found = list[Start]()
    for name in names:
        with reading.corrupt(layout.root / name):
            value = read_object(layout.root / name)
            if value.get("kind") == "start":
                found.append(Start.from_json(value))
    return sorted(found, key=lambda start: start.started_ns)


def statement(run: RunFolder, content: Digest, records: Mapping[str, Digest]) -> bytes:
    """The statement about a run of this content digest; ``records``: all its files but blobs, relative to the folder.

    Raises StoreCorruptError.
    """
    names = sorted(records)
    known = starts(run.layout, [name for name in names if name.startswith("observed/")])
    definition: JSON = {
        "buildType": BUILD,
        "externalParameters": {
            "benchmark": run.manifest.benchmark,
            "model": run.manifest.model,
            "manifest": run.identity,
        },
        "internalParameters": {"harness": sorted({start.harness for start in known if start.harness})},
        "resolvedDependencies": _dependencies(run, names, known),
    }
    details: JSON = {"builder": {"id": BUILDER}, "byproducts": [_named("content", FILE, content)]}
    return dumps_escaped(
        {
            "_type": STATEMENT,
            "subject": [_named(name, FILE, records[name]) for name in names],
            "predicateType": PREDICATE,
            "predicate": {"buildDefinition": definition, "runDetails": details},
        }
    )


def _dependencies(run: RunFolder, names: Iterable[str], known: Iterable[Start]) -> list[JSON]:
    files = {("tasks", run.manifest.tasks), ("rootfs", run.manifest.rootfs)}
    files |= {("pins", start.pins) for start in known if start.pins}
    scorers = {name.split("/")[1] for name in names if name.startswith("scores/")}
    with reading.corrupt(run.layout.scores):
        files |= {("scorer", parse_digest(name)) for name in scorers}
    paths = {part for start in known for part in start.closure}
    found = [(name, FILE, value) for name, value in files] + [(part.path, NAR, part.nar_sha256) for part in paths]
    return [_named(*each) for each in sorted(found)]


def _named(name: str, how: str, value: Digest) -> dict[str, JSON]:
    return {"name": name, "digest": {how: value}}


def _package(value: Mapping[str, JSON]) -> str | None:
    """The harness's store path of a start that only names the folder of its modules."""
    parts = PurePath(text(value.get("package", ""))).parts
    return "/".join(("", *parts[1:4])) if parts[:3] == ("/", "nix", "store") and len(parts) > 3 else None
