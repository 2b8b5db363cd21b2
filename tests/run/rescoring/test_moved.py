"""What moved between two scorings."""

from harness.run.plan import Item
from harness.run.rescoring.moved import moved
from harness.run.rescoring.scoring import Mark, Row
from harness.run.summary import Result

RIGHT, WRONG, MASKED, SILENT = Mark(1.0, "equivalent"), Mark(0.0, "different"), Mark(None, None), Mark(0.0, None)


def row(task: str, before: Mark | None, mark: Mark | None) -> Row:
    result = Result(task=task, repeat=0, outcome="answered", reward=mark.reward if mark else None)
    return Row(item=Item(task, 0), result=result, before=before, mark=mark)


def test_rows_that_are_worth_something_else_are_listed_and_counted() -> None:
    rows = [
        row("a", RIGHT, RIGHT),
        row("b", RIGHT, WRONG),
        row("c", MASKED, RIGHT),
        row("d", WRONG, Mark(0.0, "unsure")),
        row("e", RIGHT, WRONG),
        row("f", SILENT, SILENT),
        row("new", None, RIGHT),
        row("unfinished", None, None),
    ]
    assert moved(rows) == {
        "compared": 6,
        "rows": [
            _moved("b", RIGHT, WRONG),
            _moved("c", MASKED, RIGHT),
            _moved("d", WRONG, Mark(0.0, "unsure")),
            _moved("e", RIGHT, WRONG),
        ],
        "counts": {
            "0 (different) -> 0 (unsure)": 1,
            "1 (equivalent) -> 0 (different)": 2,
            "masked -> 1 (equivalent)": 1,
        },
    }


def _moved(task: str, old: Mark, new: Mark) -> dict[str, object]:
    return {
        "task": task,
        "repeat": 0,
        "old": {"reward": old.reward, "verdict": old.verdict},
        "new": {"reward": new.reward, "verdict": new.verdict},
    }
