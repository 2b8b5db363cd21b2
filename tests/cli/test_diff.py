"""``harness diff`` over run folders that the store's own writers made."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from tests.report.forging import rewarded
from tests.report.runs import GPT, OTHER, Made, made, scored
from tests.schemas import check


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)


@pytest.fixture
def a(tmp_path: Path) -> Made:
    return made(tmp_path / "A")


@pytest.fixture
def b(tmp_path: Path) -> Made:
    return made(tmp_path / "B", model="m2")


@pytest.fixture
def diff(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    def compared(*argv: str) -> Any:
        assert run(["diff", *argv, "--json"]) == 0
        return check("diff", json.loads(capsys.readouterr().out))

    return compared


def kinds(found: Any) -> dict[str, str]:
    return {change["task"]: change["kind"] for change in found["changed"]}


def test_why_each_rollout_is_not_the_same(a: Made, b: Made, diff: Callable[..., Any]) -> None:
    for side, extracted, reward in ((a, "7", 1.0), (b, "8", 0.0)):
        side.answered("1", extracted, reward)
    a.answered("2", "B", 1.0)
    b.unanswered("2", "task-timeout")
    a.answered("3", "(2, 3)", 1.0)
    b.answered("3", "2,3", 0.0)
    found = diff(a.path, b.path)
    assert kinds(found) == {"1": "answer-differs", "2": "outcome-differs", "3": "verdict-differs"}
    assert found["rollouts"] == {"outcome-differs": 1, "answer-differs": 1, "verdict-differs": 1}
    assert found["manifest_differences"] == ['model: "m" in A, "m2" in B']
    assert found["scorer_differences"] == []
    assert (found["a"]["reward"], found["b"]["reward"], found["same_content"]) == (1.0, 0.0, False)
    changed = found["changed"][0]
    assert (changed["extracted_answer_a"], changed["extracted_answer_b"]) == ("7", "8")
    assert (changed["verdict_a"], changed["verdict_b"], changed["reward_b"]) == ("equivalent", "different", 0.0)


def test_equal_answers_are_the_same_whatever_their_notation(a: Made, b: Made, diff: Callable[..., Any]) -> None:
    for task, first, second in (("1", "7", "7."), ("2", "B", " b"), ("3", "(2,3)", "2, 3")):
        a.answered(task, first, 1.0)
        b.answered(task, second, 1.0)
    found = diff(a.path, b.path)
    assert (found["rollouts"], found["changed"]) == ({"same": 3}, [])
    assert (found["paired"]["p_value"], found["paired"]["difference"]) == (1.0, 0.0)
    low, high = found["paired"]["difference_interval"]
    assert -1 <= low < 0 < high <= 1


def test_what_was_not_measured_in_both_is_counted_and_not_compared(a: Made, b: Made, diff: Callable[..., Any]) -> None:
    a.answered("1", "7", 1.0)
    b.attempt("1", kind="upstream-failed", chain=())
    a.answered("2", "B", None)
    b.answered("2", "B", 1.0)
    found = diff(a.path, b.path)
    assert kinds(found) == {"1": "masked-in-b", "2": "masked-in-a", "3": "masked-in-both"}
    assert (found["changed"][0]["outcome_b"], found["changed"][1]["outcome_a"]) == ("upstream-failed", "judge_failed")
    assert found["paired"] == {
        "tasks": 0,
        "reward_a": None,
        "reward_b": None,
        "difference": None,
        "difference_interval": None,
        "better": 0,
        "worse": 0,
        "equal": 0,
        "p_value": None,
        "p_value_exact": None,
    }


def test_unmarked_answers_are_the_same_where_all_of_the_talk_is(a: Made, b: Made, diff: Callable[..., Any]) -> None:
    for side in (a, b):
        for task in "12":
            side.attempt(task, "It is seven." if side is a or task == "1" else "It is six.")
            side.score(task, scored(None, 1.0))
        side.unanswered("3", "task-timeout")
    assert kinds(diff(a.path, b.path)) == {"2": "answer-differs"}


def test_the_paired_test_takes_each_task_with_the_mean_of_its_repeats(tmp_path: Path, diff: Callable[..., Any]) -> None:
    golds = {str(number): "7" for number in range(1, 7)}
    first, second = made(tmp_path / "A", golds, repeats=2), made(tmp_path / "B", golds)
    for task in golds:
        for repeat in (0, 1):
            first.answered(task, "8", 0.0, repeat)
        second.answered(task, "7", 1.0)
    paired = diff(first.path, second.path)["paired"]
    assert (paired["tasks"], paired["better"], paired["difference"]) == (6, 6, 1.0)
    assert (paired["p_value"], paired["p_value_exact"]) == (2 / 2**6, True)
    assert paired["difference_interval"] == [pytest.approx(0.29166, abs=1e-5), 1.0]  # 6/8 -+ 1.96 * sqrt((1 - 9/16)/8)
    found = diff(first.path, second.path)
    assert found["rollouts"] == {"only-in-a": 6, "answer-differs": 6}


def test_other_task_sets_are_compared_on_the_questions_they_share(
    a: Made, tmp_path: Path, diff: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    other = made(tmp_path / "other", {"1": "7", "2": "C", "4": "x"})
    for task in "12":
        a.answered(task, "7", 1.0)
        other.answered(task, "7", 1.0)
    found = diff(a.path, other.path)
    assert kinds(found) == {"2": "other-question", "3": "only-in-a", "4": "only-in-b"}
    assert found["paired"]["tasks"] == 1
    strange = made(tmp_path / "strange", {"9": "7"})
    assert run(["diff", a.path, strange.path]) == 2
    assert "no task in common" in capsys.readouterr().err


def test_two_scorers_of_one_run(a: Made, diff: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    a.answered("1", "7", 1.0)
    a.score("1", scored("7", 0.0), scorer=OTHER)
    for task in "23":
        a.answered(task, "B", 1.0)
        a.score(task, scored("B", 1.0), scorer=OTHER)
    found = diff(a.path, a.path, "--scorer", GPT.digest[:8], "--scorer", OTHER.digest[:8])
    assert kinds(found) == {"1": "verdict-differs"}
    assert found["same_content"]
    assert found["scorer_differences"] == ['judge.model: "gpt-4o-mini" in A, "another-judge" in B']
    assert (found["a"]["scorer"], found["b"]["judge_model"]) == (GPT.digest, "another-judge")
    assert run(["diff", a.path, a.path]) == 0
    assert "the content digests are equal" in capsys.readouterr().out
    assert run(["diff", a.path, a.path, "--scorer", "zz"]) == 2
    assert run(["diff", a.path, a.path, *["--scorer", "a"] * 3]) == 2
    assert "twice" in capsys.readouterr().err


def test_the_text_says_what_changed_and_lists_it(a: Made, b: Made, capsys: pytest.CaptureFixture[str]) -> None:
    a.answered("1", "7", 1.0)
    b.answered("1", "\x1b[2J\u202e8", 0.0)
    a.answered("2", "A", 0.0)
    b.answered("2", "D", 0.0)
    assert run(["diff", a.path, b.path]) == 0
    out = capsys.readouterr().out
    assert 'model: "m" in A, "m2" in B' in out
    assert "2 tasks measured in both: A 0.5000, B 0.0000" in out
    assert "p = 1 (paired permutation test, exact): chance alone could do that" in out
    assert "\\x1b[2J\\u202e8" in out
    assert "\x1b" not in out
    assert "masked in both" in out
    assert "1 more differ with the same reward: --all lists them" in out
    assert run(["diff", a.path, b.path, "--all"]) == 0
    every = capsys.readouterr().out
    assert "--all" not in every
    assert every.count("other answer") == out.count("other answer") + 1


def test_a_run_that_was_never_graded_can_be_compared(a: Made, b: Made, diff: Callable[..., Any]) -> None:
    for side in (a, b):
        side.attempt("1", "\\boxed{7}")
    for path in a.run.layout.observed.iterdir():
        path.unlink()
    found = diff(a.path, b.path)
    assert (found["a"]["scorer"], found["a"]["judge_model"]) == (None, None)
    assert found["rollouts"] == {"masked-in-both": 3}
    assert run(["diff", a.path, b.path]) == 0


@pytest.mark.parametrize("reward", [b"2", b"-0.5", b"NaN", b"Infinity", b"1e308"])
def test_a_reward_that_is_none_is_damage(a: Made, b: Made, reward: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    for side in (a, b):
        side.answered("1", "7", 1.0)
    path = a.run.layout.score(a.scorer.digest, "1", 0)
    path.write_bytes(rewarded(path.read_bytes(), reward))
    for argv in (["diff", a.path, b.path, "--json"], ["show", a.path, "--json"], ["show", a.path, "1", "--json"]):
        assert run(argv) == 5
        out, err = capsys.readouterr()
        assert out == ""
        assert f"{path} is damaged" in err
