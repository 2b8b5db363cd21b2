"""The pieces of Python in the documents are those that run."""

from pathlib import Path

from harness.benchmarks.own.benchmark import read
from harness.benchmarks.own.loading import load
from harness.grading.checked import score
from harness.grading.item import Item
from harness.store.blobs import Blobs
from tests.docs.documents import DOCS, ROOT, Page


def python(name: str) -> str:
    (block,) = (text for _, text in Page.read(DOCS / name).fences("python"))
    return block


def test_the_page_on_python_shows_the_example() -> None:
    example = (ROOT / "examples" / "ten_lines.py").read_text()
    assert example.split('"""\n\n', 1)[1] == python("api.md")


def test_the_page_on_extending_shows_a_benchmark_that_grades(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(python("extending.md"))
    loaded = load(tmp_path / "mine.py")
    (task,) = read(loaded, Blobs(tmp_path / "images")).values()

    def rewarded(answer: str) -> float | None:
        item = Item(task=task.id, repeat=0, question=task.question, gold=task.gold, answer=answer, ended="answered")
        return score(loaded.own, item).reward

    assert (rewarded("It is \\boxed{5}."), rewarded("It is \\boxed{6}."), rewarded("5")) == (1.0, 0.0, 0.0)
