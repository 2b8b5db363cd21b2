"""What is refused before anything starts."""

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
