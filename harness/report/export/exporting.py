"""One export: which files, where, and what was written."""

from pathlib import Path
from typing import Final

import attrs

from harness.errors import UsageError
from harness.report.export.files import outputs
from harness.report.export.pictures import Images, addresses
from harness.report.export.source import Source
from harness.store.canonical import JSON

FORMATS: Final = ("gym", "parquet", "jsonl")


@attrs.frozen(kw_only=True)
class Wanted:
    """What is asked for. ``out`` is None for the usual place; ``replace`` allows other files there to go."""

    form: str
    out: Path | None = None
    images: Images = "data"
    scorer: str | None = None
    replace: bool = False


def export(run: Path, wanted: Wanted) -> dict[str, JSON]:
    """Write an export and say what was written: the object that ``--json`` prints.

    Raises UsageError where there is no run or something else stands in a file's place, StoreCorruptError for damage,
    NoSpaceError or HarnessError where it can't be written; then no file was touched.
    """
    source = Source.open(run, wanted.scorer)
    path = wanted.out or place(run, wanted.form)
    inside = outside(run, path, place(run, "parquet").name)
    address = addresses(wanted.images, source.run.blobs)
    # The table in the run folder follows from what else is there: an old one is worth nothing.
    with outputs(replace=wanted.replace or inside) as files:
        if wanted.form == "gym":
            from harness.report.export import gym

            gym.write(source, path, files, address)
        elif wanted.form == "parquet":
            from harness.report.export import table

            table.write(source, path, files)
        else:
            from harness.report.export import chats

            chats.write(source, path, files, address)
    return {
        "run": str(run),
        "format": wanted.form,
        "manifest": source.run.manifest.identity,
        "scorer": source.scorer,
        "files": [{"path": str(file.path), "rows": file.rows, "sha256": file.sha256} for file in files.begun],
    }


def outside(run: Path, path: Path, derived: str | None = None) -> bool:
    """Refuse a path in the run folder, but for the file that may stand there: True where it is that one.

    Raises UsageError.
    """
    if not path.resolve().is_relative_to(run.resolve()):
        return False
    if derived is None or path.resolve() != (run / derived).resolve():
        raise UsageError(f"{path} is in the run folder, which holds the run and nothing else. Name another place.")
    return True


def place(run: Path, form: str) -> Path:
    """Where an export goes unless it is told otherwise: beside the run folder, but for the table."""
    if run.name in ("", ".."):
        run = run.resolve()
    match form:
        case "gym":
            return run.with_name(f"{run.name}.jsonl")
        case "jsonl":
            return run.with_name(f"{run.name}_chats.jsonl")
    return run / "rollouts.parquet"
