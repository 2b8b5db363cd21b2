"""Which files of a run folder an archive carries, and the names that it may hold: nothing else comes out of it."""

import re
from typing import Final

# How many names stand below each folder of records; harness/store/layout.py says which.
DEPTHS: Final = {"attempts": 3, "done": 2, "judge": 2, "observed": 1, "scores": 3}

# Files at the top that are carried. The report and the table of rollouts are made again from the rest.
TOP: Final = ("manifest.json", "summary.json")

BLOBS: Final = "blobs/sha256"

# No separator, and no dot at the start: neither "..", nor a temporary file's name. 255 is NAME_MAX of Linux.
_NAME = r"[A-Za-z0-9_%-][A-Za-z0-9_.%-]{0,254}"
_RECORD: Final = re.compile(
    "|".join([re.escape(name) for name in TOP] + [rf"{top}(/{_NAME}){{{depth}}}" for top, depth in DEPTHS.items()])
)
_BLOB: Final = re.compile(rf"{BLOBS}/[0-9a-f]{{64}}")


def is_record(name: str) -> bool:
    """Whether a path, relative to the run folder, is one of a manifest, a record, a grade or an observation."""
    return _RECORD.fullmatch(name) is not None


def is_blob(name: str) -> bool:
    """Whether a path, relative to the run folder, is a blob's."""
    return _BLOB.fullmatch(name) is not None


def blob(digest: str) -> str:
    """Where a blob stands: the same in a run folder as in an OCI image layout."""
    return f"{BLOBS}/{digest}"
