"""What is refused before anything starts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import UnknownNameError, UsageError
from harness.run.settings.check import before_namespace
from harness.run.settings.resolve import resolve

REAL = {"policy_base_url": "http://h/v1", "policy_model": "m", "judge_base_url": "http://h/v1"}


def check(benchmark: str = "babyvision", env: dict[str, str] | None = None, **flags: str) -> None:
    before_namespace(benchmark, resolve(flags, env or {}, {}))


def test_what_can_be_run() -> None:
    check(demo="true")
    check(**REAL)
    check(**REAL, instruction="i.txt", temperature="1")
    check(demo="true", policy_base_url="http://h/v1", policy_model="m", temperature="1")
    check(policy="replay:/dev")
    check(policy="replay:/dev", demo="true", demo_seed="2", temperature="1")
    check(policy="replay:/dev", judge_base_url="http://h/v1", judge_model="m")
    check(env={"POLICY_BASE_URL": "http://h/v1", "JUDGE_MODEL": "m"}, policy="replay:/dev")
    # what the environment has lying about is no contradiction
    check(env={"POLICY_MODEL": "m", "BABYVISION_ZIP": "z", "HARNESS_DATA_DIR": "d"}, demo="true")


def test_an_unknown_benchmark_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'babyvision'"):
        check("babyvison", demo="true")


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ({"demo": "true", "policy_model": "m"}, "policy_model is given without policy_base_url"),
        ({"demo": "true", "temperature": "1"}, "temperature is given without policy_base_url"),
        ({"demo": "true", "judge_model": "m"}, "judge_model is given without judge_base_url"),
        ({"demo": "true", "babyvision_zip": "z"}, "babyvision_zip is given with --demo"),
        ({**REAL, "demo_puzzles": "3"}, "demo_puzzles is given without --demo"),
        ({**REAL, "context": "1000", "max_output": "1000"}, "leaves nothing"),
        ({**REAL, "timeout": "1e6"}, "at most 86400 seconds"),
        ({}, r"policy_base_url is missing. Set \$POLICY_BASE_URL or --policy-base-url, or use --demo"),
        ({"policy_base_url": "http://h/v1", "policy_model": "m"}, "judge_base_url is missing"),
        ({**REAL, "policy": "replay:/dev"}, "policy_base_url is given with policy = replay"),
        ({"demo": "true", "policy": "replay:/dev", "policy_model": "m"}, "policy_model is given with policy = replay"),
        ({"policy": "replay:/dev", "judge_model": "m"}, "judge_model is given without judge_base_url, .* the record's"),
        ({"policy": "replay:/dev", "run": "/dev/."}, "is the record that answers"),
        ({"policy": "replay:/dev/nothing"}, "replay:/dev/nothing: there is no such"),
        ({"demo": "true", "capture_tokens": "true"}, "capture_tokens is given without policy_base_url"),
    ],
)
def test_what_does_not_go_together(flags: dict[str, str], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        check(**flags)


def test_the_question_alone_has_no_instruction() -> None:
    with pytest.raises(UsageError, match="only the question"):
        check("babyvision-question-only", demo="true", instruction="i.txt")


FILE = """
from harness.api import Benchmark
benchmark = Benchmark(name="own", tasks=list, instruction="Look.", grade=lambda text, gold: 1.0, demo=lambda *_: "1")
"""


@pytest.fixture
def own(tmp_path: Path) -> Callable[[str], str]:
    """A benchmark's file with a rule, a demo and an instruction, but for what is taken out."""

    def write(without: str = "") -> str:
        assert without in FILE
        (tmp_path / "own.py").write_text(FILE.replace(without, ""))
        return str(tmp_path / "own.py")

    return write


RULE = ", grade=lambda text, gold: 1.0"
SCRIPT = ', demo=lambda *_: "1"'


def test_what_can_be_run_of_ones_own(own: Callable[[str], str]) -> None:
    check(own(""), demo="true")
    check(own(""), policy_base_url="http://h/v1", policy_model="m")  # its rule needs no judge
    check(own(RULE), **REAL)
    check(own(SCRIPT), demo="true", policy_base_url="http://h/v1", policy_model="m")
    check(own(SCRIPT), policy="replay:/dev")
    check(own(""), env={"JUDGE_BASE_URL": "http://h/v1"}, demo="true", instruction="i.txt")


@pytest.mark.parametrize(
    ("without", "flags", "reason"),
    [
        (SCRIPT, {"demo": "true"}, r"own\.py says not what a scripted model answers"),
        (RULE, {"policy_base_url": "http://h/v1", "policy_model": "m"}, "judge_base_url is missing"),
        ("", {**REAL}, "judge_base_url is given, .* graded by a rule of its own"),
        ("", {"demo": "true", "demo_seed": "2"}, "demo_seed is given, and .* has tasks of its own"),
        ("", {"demo": "true", "data_dir": "d"}, "data_dir is given, and .* has tasks of its own"),
        (', instruction="Look."', {"demo": "true", "instruction": "i.txt"}, "puts only the question"),
    ],
)
def test_what_does_not_go_with_ones_own(
    own: Callable[[str], str], without: str, flags: dict[str, str], reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        check(own(without), **flags)
