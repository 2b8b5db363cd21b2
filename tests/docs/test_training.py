"""The program in docs/training.md, run on an export."""

from pathlib import Path
from typing import Any

from harness.report.export.exporting import Wanted, export
from tests.docs.documents import DOCS, Page
from tests.gateway.bodies import attached, turn
from tests.report.export.runs import CROP, Writer, request, with_ids

CALL = ("call_9", "bash", "{}")


def test_it_puts_a_sequence_together_from_each_rollout_that_allows_it(tmp_path: Path) -> None:
    later = [*turn("Look.", [CALL], ["Image read successfully"]), attached(CROP)]
    first = with_ids("Look.", CALL, prompt=[1, 2], ids=[3, 4])
    made = Writer(tmp_path / "R", ("7", "8"), 1)
    for task, prompt in (("7", [1, 2, 3, 4, 5]), ("8", [1, 9, 9, 9])):  # the second is written anew: two chains
        made.attempt(task, 0, [(request(), first), (request(*later), with_ids("3", prompt=prompt, ids=[6]))])
        made.judged(task, 0, "3", right=True)
    export(made.run.layout.root, Wanted(form="gym", out=tmp_path / "R.jsonl"))
    ((_, program),) = Page.read(DOCS / "training.md").fences("python")
    names: dict[str, Any] = {}
    exec(program, names)
    assert list(names["sequences"](tmp_path / "R")) == [
        ("0-0", [1, 2, 3, 4, 5, 6], [None, None, 0.0, -0.5, None, 0.0], 1.0)
    ]
