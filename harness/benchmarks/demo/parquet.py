"""The demo's puzzles as a real parquet file in BabyVision's own schema: the same bytes on every machine for a seed."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from harness.benchmarks.babyvision.data.installed import Place
from harness.benchmarks.babyvision.rows import Row
from harness.errors import EXIT_HOST, HarnessError, NoSpaceError
from harness.store import atomic


def prepare(folder: Path, seed: int, count: int) -> Place:
    """Draw the demo's puzzles, write them as a parquet and install that, below ``folder``.

    A process of its own does it: what draws and decodes stays out of the memory of the run. Raises NoSpaceError or
    HarnessError.
    """
    command = [sys.executable, "-I", "-m", "harness.benchmarks.demo.parquet", str(folder), str(seed), str(count)]
    done = subprocess.run(command, env={}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        kind = NoSpaceError if done.returncode == EXIT_HOST else HarnessError
        raise kind(f"The demo's puzzles could not be made. {done.stderr.strip()[-500:]}")
    return Place.of(folder)


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write the rows as Hugging Face's ``datasets`` lays them out; raises OSError."""
    import pyarrow as arrow  # only the demo writes one
    from pyarrow import parquet

    image = arrow.struct([("bytes", arrow.binary()), ("path", arrow.string())])
    schema = arrow.schema(
        [
            ("taskId", arrow.int64()),
            ("type", arrow.string()),
            ("subtype", arrow.string()),
            ("image", image),
            ("question", arrow.string()),
            ("ansType", arrow.string()),
            ("options", arrow.list_(arrow.string())),
            ("choiceAns", arrow.int64()),
            ("blankAns", arrow.string()),
            ("coT", arrow.string()),
        ]
    )
    table = arrow.Table.from_pylist([_fields(row) for row in rows], schema=schema)
    # 100 rows a group and snappy, as `datasets` writes files with images
    parquet.write_table(table, path, row_group_size=100, compression="snappy")


def main(folder: Path, seed: int, count: int) -> None:
    """What `prepare` has done in a process of its own."""
    from harness.benchmarks.babyvision.data.importing import Expected, add
    from harness.benchmarks.demo import puzzles

    with atomic.explained(folder / "demo.parquet"):
        write(folder / "demo.parquet", puzzles.rows(seed, count))
    add(Place.of(folder), folder / "demo.parquet", Expected(structure=None))


def _fields(row: Row) -> dict[str, object]:
    fields = row.model_dump(by_alias=True)
    return {**fields, "image": {"bytes": row.image, "path": None}, "options": list(row.options)}


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    except HarnessError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_status)
