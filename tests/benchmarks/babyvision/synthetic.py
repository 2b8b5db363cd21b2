"""388 made-up puzzles with BabyVision's real counts, written as the authors' ZIP and as the parquet."""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as arrow
from PIL import Image
from pyarrow import parquet

Fields = dict[str, Any]

TYPES = {
    "Fine-grained Discrimination": (163, 8),
    "Spatial Perception": (91, 5),
    "Visual Tracking": (83, 5),
    "Visual Pattern Recognition": (51, 4),
}  # rows and subtypes of each
CHOICES = 135

# Nothing of these may ever be seen where only the question belongs.
GOLD, SOLUTION = "gold-7f3a", "solution-91bc"

SCHEMA = arrow.schema(
    {
        "taskId": arrow.int64(),
        "type": arrow.string(),
        "subtype": arrow.string(),
        "image": arrow.struct({"bytes": arrow.binary(), "path": arrow.string()}),
        "question": arrow.string(),
        "ansType": arrow.string(),
        "options": arrow.list_(arrow.string()),
        "choiceAns": arrow.int64(),
        "blankAns": arrow.string(),
        "coT": arrow.string(),
    }
)


def picture(number: int, file_format: str, mode: str = "RGB", size: tuple[int, int] = (12, 9)) -> bytes:
    """A small picture of noise, another one for each number."""
    channels = len(mode) if mode in {"RGB", "RGBA", "L"} else 1
    noise = Random(number).randbytes(size[0] * size[1] * channels)
    plain = Image.frombytes(mode if channels > 1 else "L", size, noise)
    target = io.BytesIO()
    plain.convert(mode).save(target, file_format)
    return target.getvalue()


def rows(odd_formats: Mapping[int, str] | None = None) -> list[Fields]:
    """The fields of every row, ``image`` as bytes. ``odd_formats``: task ids whose image is neither PNG nor JPEG."""
    made: list[Fields] = []
    for kind, (count, subtypes) in TYPES.items():
        for place in range(count):
            number = len(made)
            choice = number % 388 < CHOICES
            task_id = 1000 - number  # neither from 1 nor in order
            file_format = (odd_formats or {}).get(task_id, "JPEG" if number % 5 == 0 else "PNG")
            made.append(
                {
                    "taskId": task_id,
                    "type": kind,
                    "subtype": f"{kind}, kind {place % subtypes}",
                    "image": picture(number, file_format),
                    "question": f"Question {number}: where is it, café or “tea”?",
                    "ansType": "choice" if choice else "blank",
                    "options": [f"option {index}" for index in range(2 + number % 4)] if choice else [],
                    "choiceAns": number % 2 if choice else None,
                    "blankAns": None if choice else f"({number},{GOLD})",
                    "coT": f"{SOLUTION} {number}",
                }
            )
    return made


def write_parquet(path: Path, fields: Sequence[Fields], schema: arrow.Schema = SCHEMA) -> Path:
    """As Hugging Face's ``datasets`` lays it out; a schema with fewer columns leaves them out."""
    rows = [{**row, "image": {"bytes": row["image"], "path": f"{row['taskId']}.png"}} for row in fields]
    parquet.write_table(arrow.Table.from_pylist(rows, schema=schema), path, row_group_size=100)
    return path


def write_zip(path: Path, fields: Iterable[Fields], extra: Mapping[str | zipfile.ZipInfo, bytes] | None = None) -> Path:
    """The authors' layout as a macOS archiver writes it; ``extra`` are further members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("babyvision_data/", b"")
        archive.writestr("babyvision_data/.DS_Store", b"\0\0\0\1")
        lines = []
        for number, row in enumerate(fields):
            name = f"images/{number}.png"
            lines.append(json.dumps({**row, "image": name}, ensure_ascii=False))
            archive.writestr(f"babyvision_data/{name}", row["image"])
            archive.writestr(f"__MACOSX/babyvision_data/images/._{number}.png", b"\0\5\26\7")
        archive.writestr("babyvision_data/meta_data.jsonl", "\n".join(lines) + "\n")
        for member, data in (extra or {}).items():
            archive.writestr(member, data)
    return path
