"""The scorer: everything that decides a score, and nothing else."""

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

import harness
from harness.benchmarks.babyvision.graded import SOURCES
from harness.errors import CanonicalError
from harness.grading import scorer as module
from harness.grading.mode import JUDGED
from harness.grading.prompt import JudgeSettings
from harness.grading.scorer import Scorer, code_of, described, scorer
from harness.store.digests import digest

PACKAGE = Path(harness.__file__).parent
SOURCE = '''"""Docs."""

LIMIT = 5  # a figure


def reward(value):
    """More docs."""
    return value > LIMIT
'''
# What deciding modules may use that is no part of the scorer: it carries values, and the formats of the store.
CARRIERS = {"harness.errors", "harness.store.digests", "harness.store.fields", "harness.store.grades"}


def now(judge: JudgeSettings | None = None, package: Path = PACKAGE, **changes: Any) -> Scorer:
    return scorer(judge or JudgeSettings(), JUDGED, SOURCES, package=package, **changes)


def test_its_name_is_the_digest_of_its_description() -> None:
    assert now().digest == digest(now().description) == now().digest


@pytest.mark.parametrize("change", [{"model": "m"}, {"temperature": 0.5}, {"top_p": None}, {"max_tokens": 9}])
def test_the_judge_counts(change: dict[str, Any]) -> None:
    assert now(attrs.evolve(JudgeSettings(), **change)).digest != now().digest


def test_the_prompt_the_mode_and_the_judging_count(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {now().digest, now(judging=1).digest, now().with_judging(1).digest}
    assert len(found) == 2
    found.add(scorer(JudgeSettings(), attrs.evolve(JUDGED, name="other"), SOURCES).digest)
    monkeypatch.setattr(module, "INSTRUCTIONS", "Say equivalent.")
    found.add(now().digest)
    assert len(found) == 4


@pytest.mark.parametrize(
    "judge",
    [
        JudgeSettings(),
        JudgeSettings("m", 0.5, None, 9, "max_completion_tokens"),
        JudgeSettings("m", None, 0.25, 1, "max_tokens"),
    ],
)
def test_a_description_is_read_back(judge: JudgeSettings) -> None:
    assert described(now(judge, judging=3).description) == now(judge, judging=3)


@pytest.mark.parametrize(
    "damaged",
    [
        lambda data: data[:-1],
        lambda data: data.replace(b'"format":2', b'"format":1'),
        lambda data: data.replace(b'"judging":0', b'"judging":"0"'),
        lambda data: data.replace(b'"max_tokens":1024', b'"max_tokens":1024,"more":1'),
        lambda data: data.replace(b'"mode"', b'"modf"'),
    ],
)
def test_what_is_no_description_is_refused(damaged: Any) -> None:
    with pytest.raises(CanonicalError):
        described(damaged(now().description))


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The package's sources, to be edited."""
    for name in now().code:
        path = _path(tmp_path, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_path(PACKAGE, name), path)
    return tmp_path


@pytest.mark.parametrize("name", sorted(now().code))
def test_an_edit_of_what_decides_counts_and_one_of_its_docs_does_not(copied: Path, name: str) -> None:
    path = _path(copied, name)
    source = path.read_text()
    path.write_text(source + "\nMORE = 1\n")
    assert now(package=copied).digest != now().digest
    docs = ast.parse(source).body[0]
    assert ast.get_docstring(ast.parse(source)) is not None
    code = "\n".join(source.splitlines()[docs.end_lineno :])
    path.write_text(f'"""Other docs."""\n# a comment\n{code}\n# and another\n')
    assert now(package=copied).digest == now().digest


def test_an_edit_of_the_rule_counts(copied: Path) -> None:
    path = _path(copied, "harness.grading.score")
    edited = path.read_text().replace('verdict.verdict == "equivalent"', 'verdict.verdict != "different"')
    assert edited != path.read_text()
    path.write_text(edited)
    assert now(package=copied).digest != now().digest


def test_a_module_that_is_new_counts(copied: Path) -> None:
    _path(copied, "harness.grading.more").write_text("MORE = 1\n")
    assert now(package=copied).digest != now().digest


def test_whatever_a_deciding_module_uses_decides_too_or_only_carries() -> None:
    code = set(now().code)
    used = {name: set(_imported(_path(PACKAGE, name))) for name in code}
    outside = {name: found - code - CARRIERS for name, found in used.items()}
    # The benchmark's own class says that it is a benchmark's.
    outside["harness.benchmarks.babyvision.graded"] -= {"harness.benchmarks.base", "harness.grading.mode"}
    assert {name: found for name, found in outside.items() if found} == {}


def test_docs_and_comments_do_not_count() -> None:
    edited = SOURCE.replace("Docs", "Other docs").replace("More docs", "Even more").replace("a figure", "the figure")
    assert edited != SOURCE
    assert code_of(edited) == code_of(SOURCE)
    assert code_of('def f():\n    """Only docs."""\n') == code_of("def f():\n    pass\n")
    assert code_of(SOURCE.replace("5", "6")) != code_of(SOURCE)
    assert code_of('x = "a text, no docs"') != code_of('x = "another"')


def _path(package: Path, name: str) -> Path:
    return package.joinpath(*name.split(".")[1:]).with_suffix(".py")


def _imported(path: Path) -> Iterator[str]:
    """The modules of the harness that a module imports when it is imported itself."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("harness"):
            assert node.module is not None
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if _path(PACKAGE, inner).is_file() else node.module
