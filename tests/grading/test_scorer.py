"""The scorer's digest: what decides a score, and nothing else."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.grading import scorer
from harness.grading.prompt import JudgeSettings
from harness.grading.scorer import code_of, scorer_digest

SOURCE = '''"""Docs."""

LIMIT = 5  # a figure


def reward(value):
    """More docs."""
    return value > LIMIT
'''


def test_it_is_the_same_each_time() -> None:
    assert scorer_digest(JudgeSettings()) == scorer_digest(JudgeSettings())


@pytest.mark.parametrize("change", [{"model": "m"}, {"temperature": 0.5}, {"top_p": 0.5}, {"max_tokens": 9}])
def test_the_judge_counts(change: dict[str, Any]) -> None:
    assert scorer_digest(attrs.evolve(JudgeSettings(), **change)) != scorer_digest(JudgeSettings())


def test_the_prompt_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = scorer_digest(JudgeSettings())
    monkeypatch.setattr(scorer, "INSTRUCTIONS", "Say equivalent.")
    assert scorer_digest(JudgeSettings()) != before


def test_each_module_of_the_package_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "grading"
    package.mkdir()
    for path in Path(scorer.__file__).parent.glob("*.py"):
        (package / path.name).write_bytes(path.read_bytes())
    before = scorer_digest(JudgeSettings())
    monkeypatch.setattr(scorer, "__file__", str(package / "scorer.py"))
    assert scorer_digest(JudgeSettings()) == before
    for path in package.glob("*.py"):
        source = path.read_text()
        path.write_text(source + "\nMORE = 1\n")
        assert scorer_digest(JudgeSettings()) != before, path.name
        path.write_text(source + "\n# a comment\n")
        assert scorer_digest(JudgeSettings()) == before, path.name


def test_a_benchmarks_own_modules_count(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    digests = set()
    for source in (SOURCE, SOURCE.replace("5", "6")):
        path.write_text(source)
        digests.add(scorer_digest(JudgeSettings(), [path]))
    assert len(digests | {scorer_digest(JudgeSettings())}) == 3


def test_docs_and_comments_do_not_count() -> None:
    edited = SOURCE.replace("Docs", "Other docs").replace("More docs", "Even more").replace("a figure", "the figure")
    assert edited != SOURCE
    assert code_of(edited) == code_of(SOURCE)
    assert code_of('def f():\n    """Only docs."""\n') == code_of("def f():\n    pass\n")
    assert code_of(SOURCE.replace("5", "6")) != code_of(SOURCE)
    assert code_of('x = "a text, no docs"') != code_of('x = "another"')
