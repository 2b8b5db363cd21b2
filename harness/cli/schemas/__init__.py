"""JSON Schemas of what ``--json`` prints, one file for each kind of object beside this module.

Draft 2020-12. What several of them have in common stands in ``shared.json``.
"""

import json
from pathlib import Path
from typing import Any, Final

from harness.errors import UnknownNameError

FOLDER: Final = Path(__file__).parent
SHARED: Final = "shared"


def names() -> list[str]:
    """The kinds of objects that have a schema."""
    return sorted(path.stem for path in FOLDER.glob("*.json") if path.stem != SHARED)


def read(name: str) -> dict[str, Any]:
    """The schema of one kind, as its file has it; raises UnknownNameError."""
    if name != SHARED and name not in names():
        raise UnknownNameError("schema", name, names())
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_bytes())
    return found


def bundled(name: str) -> dict[str, Any]:
    """The schema of one kind with all that it refers to in it, so that it can be used alone; raises UnknownNameError.

    What is shared keeps its ``$id``, as the draft has it for compound documents, so references stay as they are.
    """
    found, shared = read(name), read(SHARED)
    if shared["$id"] in json.dumps(found):
        found["$defs"] = {**found.get("$defs", {}), SHARED: shared}
    return found
