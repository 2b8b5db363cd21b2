"""Scoring again by another scorer, and asking the judge again."""

import asyncio
import shutil
import signal
import sys
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from harness.errors import UsageError
from harness.grading import mode
from harness.run import scorers
from harness.run.rescoring.rescore import Rescoring, Wanted
from harness.run.rescoring.scoring import Row, Scoring
from harness.run.results import planned
from harness.run.settings.resolve import resolve
from harness.store.runfolder import RunFolder
from harness.store.verify import verify

Rescore = Callable[..., dict[str, Any]]
Check = Callable[..., list[tuple[str, str]]]
Files = Callable[[RunFolder], dict[str, bytes]]


def masked(run: RunFolder) -> int:
    """Rollouts that are masked by the judge, by the run's own scores."""
    name = scorers.current(run)
    assert name is not None
    return sum(score["reward"] is None for _, _, score in run.grades.scores(name))


def answers(run: RunFolder) -> int:
    """Rollouts that the judge was asked about."""
    return len(list(run.layout.judge.iterdir()))


def test_another_judge_moves_what_was_judged_and_nothing_else(run: RunFolder, rescore: Rescore, check: Check) -> None:
    own = scorers.current(run)
    assert own is not None
    before = {(task, repeat): score for task, repeat, score in run.grades.scores(own)}
    report = rescore(run, {"judge_temperature": "0.5"})
    expected = {place for place, score in before.items() if score["reward"] is not None and score["judge"]}
    assert {(row["task"], row["repeat"]) for row in report["moved"]["rows"]} == expected
    assert all(row["new"]["reward"] is None for row in report["moved"]["rows"])
    assert report["moved"]["compared"] == len(before)
    assert (report["scorer_before"], report["asked"]) == (own, 0)
    # The new scores stand beside the old ones, and it is the new scorer that the run is graded by.
    assert {(task, repeat): score for task, repeat, score in run.grades.scores(own)} == before
    assert scorers.current(run) == report["scorer"] != own
    assert check(run) == []
    assert verify(run) == []


def test_there_is_a_way_back(run: RunFolder, rescore: Rescore, check: Check) -> None:
    own = scorers.current(run)
    assert own is not None
    summary = (run.layout.root / "summary.json").read_bytes()
    rescore(run, {"judge_model": "another"})
    report = rescore(run, scorer=own[:8])
    assert (report["scorer"], report["judge_model"]) == (own, "gpt-4o-mini")
    assert (run.layout.root / "summary.json").read_bytes() == summary
    assert check(run) == []
    with pytest.raises(UsageError, match="no scorer whose name begins with 'zz'"):
        rescore(run, scorer="zz")
    with pytest.raises(UsageError, match="2 scorers whose name begins with ''"):
        rescore(run, scorer="")


def test_the_environment_makes_no_other_scorer(run: RunFolder) -> None:
    of = [Rescoring.of(run.layout.root, Wanted(), resolve({}, env, {})) for env in ({}, {"JUDGE_MODEL": "another"})]
    assert of[0].scorer == of[1].scorer
    named = Rescoring.of(run.layout.root, Wanted(), resolve({"judge_model": "another"}, {}, {}))
    assert named.scorer != of[0].scorer


async def test_a_judge_that_failed_is_asked_about_these_alone(
    run: RunFolder, rescore: Rescore, check: Check, judge: Any
) -> None:
    count = masked(run)
    assert count > 0
    report = await asyncio.to_thread(rescore, run, judge.settings, judge="failed")
    assert report["asked"] == len(judge.asked) == count
    assert report["scorer"] == report["scorer_before"]
    assert report["moved"]["counts"] == {"masked -> 1 (equivalent)": count}
    assert (masked(run), check(run), verify(run)) == (0, [], [])
    again = await asyncio.to_thread(rescore, run, judge="failed")  # nobody is to be asked, so no endpoint is needed
    assert (again["asked"], again["written"]) == (0, 0)


async def test_a_judge_that_fails_again_masks_again(run: RunFolder, rescore: Rescore, judge: Any) -> None:
    count = masked(run)
    judge.says[:] = [None] * count
    report = await asyncio.to_thread(rescore, run, judge.settings, judge="failed")
    assert (report["asked"], masked(run)) == (count, count)


async def test_asking_anew_is_a_judging_of_its_own_that_comes_back(
    run: RunFolder, rescore: Rescore, check: Check, files: Files, judge: Any
) -> None:
    own, before = scorers.current(run), files(run)
    report = await asyncio.to_thread(rescore, run, judge.settings, judge="live")
    assert report["asked"] == len(judge.asked) == answers(run)
    assert (report["judging"], report["scorer_before"]) == (1, own)
    assert report["outcomes"].get("judge_unparseable") is None
    assert check(run) == []
    assert verify(run) == []
    # What was there is there as it was, but for the summary.
    after = files(run)
    assert {path for path in before if after[path] != before[path]} == {"summary.json"}
    # Recorded replies give the same bytes, for this judging and for the first.
    shutil.rmtree(run.layout.scores)
    rescore(run)
    assert {path for path in after if files(run).get(path) != after[path]} == {
        path for path in after if path.startswith(f"scores/{own}/")
    }
    rescore(run, judging=0)
    assert {path for path in before if files(run)[path] != before[path]} == set()


async def test_each_live_judging_has_the_next_number(run: RunFolder, rescore: Rescore, judge: Any) -> None:
    numbers = [(await asyncio.to_thread(rescore, run, judge.settings, judge="live"))["judging"] for _ in range(2)]
    assert numbers == [1, 2]
    other = {**judge.settings, "judge_model": "another"}
    assert (await asyncio.to_thread(rescore, run, other, judge="live"))["judging"] == 0


async def test_several_judgings_are_compared(run: RunFolder, rescore: Rescore, check: Check, judge: Any) -> None:
    count = answers(run)
    judge.says[:] = ["different"] * 3 + ["equivalent"] * (count - 3)
    report = await asyncio.to_thread(rescore, run, judge.settings, judge="live", repeats=2)
    found = report["judge_repeats"]
    assert report["asked"] == 2 * count
    assert (found["judgings"], found["judged"], found["flips"]) == (2, count, 3)
    assert found["agreement"] == pytest.approx(1 - 3 / count)
    assert check(run) == []
    # The same from what is recorded, without asking.
    assert rescore(run, repeats=2)["judge_repeats"] == found


def test_judgings_that_never_were_are_not_compared(
    run: RunFolder, rescore: Rescore, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, looked, rows = files(run), list[int](), Scoring.rows

    def counted(scoring: Scoring, *given: Any, **options: Any) -> list[Row]:
        looked.append(scoring.scorer.judging)
        return rows(scoring, *given, **options)

    monkeypatch.setattr(Scoring, "rows", counted)
    with pytest.raises(UsageError, match="No verdict of judging 1 is kept"):
        rescore(run, repeats=1000)
    assert looked == [1]
    assert files(run) == before


def test_a_judging_that_never_was_does_not_grade_the_run(run: RunFolder, rescore: Rescore, files: Files) -> None:
    before = files(run)
    with pytest.raises(UsageError, match="No verdict of judging 7 is kept"):
        rescore(run, judging=7)
    assert files(run) == before


async def test_what_is_missing_of_several_judgings_is_asked_for(run: RunFolder, rescore: Rescore, judge: Any) -> None:
    failed = masked(run)
    report = await asyncio.to_thread(rescore, run, judge.settings, judge="failed", repeats=2)
    assert report["asked"] == failed + answers(run)
    assert report["judge_repeats"]["judged"] == answers(run)


async def test_a_judge_that_cannot_grade_is_refused_before_it_is_asked(
    run: RunFolder, rescore: Rescore, judge: Any
) -> None:
    judge.says[:] = ["different"]
    with pytest.raises(UsageError, match="can't grade this run"):
        await asyncio.to_thread(rescore, run, {**judge.settings, "no_preflight": "false"}, judge="live")
    assert len(judge.asked) == 2


def test_whom_to_ask_must_be_said(run: RunFolder, rescore: Rescore, files: Files) -> None:
    before = files(run)
    with pytest.raises(UsageError, match="judge_base_url is missing"):
        rescore(run, judge="live")
    assert files(run) == before


async def test_what_was_interrupted_changes_no_score_and_says_how_to_go_on(
    run: RunFolder, rescore: Rescore, files: Files, judge: Any
) -> None:
    before, count = files(run), answers(run)
    judge.silent_after = 3
    given = ("--judge-base-url", judge.url, "--judge-concurrency", "1", "--no-preflight")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "harness.cli", "rescore", str(run.layout.root), "--judge", "live", *given),
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(300):
        await judge.silent.wait()
        process.send_signal(signal.SIGINT)
        _, said = await process.communicate()
    assert process.returncode == 130
    assert "--judge failed --judging 1" in said.decode()
    after = files(run)
    assert {path: after[path] for path in before} == before
    assert len(after) - len(before) == 3
    judge.silent_after = None
    report = await asyncio.to_thread(rescore, run, judge.settings, judge="failed", judging=1)
    assert (report["asked"], report["judging"]) == (count - 3, 1)


def test_a_run_that_nobody_graded_needs_a_judge_to_be_named(run: RunFolder, rescore: Rescore) -> None:
    for folder in (run.layout.observed, run.layout.scores):
        shutil.rmtree(folder)
    (run.layout.root / "summary.json").unlink()
    with pytest.raises(UsageError, match="--judge-model"):
        rescore(run)
    assert rescore(run, {"judge_model": "gpt-4o-mini"})["scorer_before"] is None


@pytest.mark.parametrize(
    ("judge", "repeats", "why"), [("live", 1, "no --judge live"), ("recorded", 2, "there is no judge to repeat")]
)
def test_more_than_a_benchmarks_mode_can_do_is_refused_with_the_reason(
    run: RunFolder, rescore: Rescore, monkeypatch: pytest.MonkeyPatch, judge: str, repeats: int, why: str
) -> None:
    exact = mode.Mode(name="exact", again=("recorded",), why="Its answers are compared, not judged.")
    monkeypatch.setattr("harness.benchmarks.babyvision.graded.JUDGED", exact)
    with pytest.raises(UsageError, match=rf"babyvision is graded as 'exact': {why}.*compared, not judged"):
        rescore(run, judge=judge, repeats=repeats)


def test_a_benchmark_that_is_not_known_is_refused(run: RunFolder, rescore: Rescore) -> None:
    manifest = attrs.evolve(run.manifest, benchmark="chess")
    run.layout.manifest.write_bytes(manifest.to_bytes())
    with pytest.raises(UsageError, match=r"'chess'.*can grade babyvision"):
        rescore(run)


def test_all_planned_rollouts_are_in_the_summary(run: RunFolder, rescore: Rescore) -> None:
    report = rescore(run)
    assert report["planned"] == len(planned(run, scorers.benchmark_of(run))) == 45
    assert report["outcomes"]["unfinished"] > 0
