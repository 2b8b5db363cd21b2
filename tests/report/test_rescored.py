"""The lines of a run that was scored again."""

from typing import Any

from harness.report.rescored import SHOWN, differing, rescored

REPORT: dict[str, Any] = {
    "run": "R",
    "judge": "live",
    "judging": 2,
    "asked": 7,
    "written": 3,
    "scorer": "b" * 64,
    "scorer_before": "a" * 64,
    "judge_model": "m\x1b[2J",
    "reward": 0.5,
    "reward_low": 0.25,
    "reward_high": 0.75,
    "coverage": 0.5,
    "measured": 2,
    "planned": 4,
    "masked": 2,
    "masked_outcomes": {"judge_failed": 2},
    "moved": {"compared": 0, "rows": [], "counts": {}},
    "judge_repeats": None,
}


def test_it_says_who_judged_and_what_it_came_to() -> None:
    assert list(rescored(REPORT)) == [
        "run           R",
        "judge         m\\x1b[2J, judging 2: asked 7 times now",
        f"scorer        {'b' * 64}",
        f"              was {'a' * 64}; back to it: --scorer {'a' * 12}",
        "mean/reward   0.5000  (bounds 0.2500 to 0.7500)",
        "coverage      50.0%  (2 of 4 measured)",
        "masked        2: judge_failed 2",
        "scores        3 written, the others were there as they are",
    ]


def test_recorded_replies_without_a_verdict_say_how_to_ask() -> None:
    hint = "              the judge gave these no verdict that is kept; to ask it: the same options with --judge failed"
    for outcome, said in (("judge_failed", True), ("judge_unparseable", True), ("unfinished", False)):
        lines = list(rescored({**REPORT, "judge": "recorded", "masked_outcomes": {outcome: 2}}))
        assert (hint in lines) == said
    assert hint not in rescored(REPORT)


def test_what_moved_is_listed_as_far_as_a_person_reads() -> None:
    right, masked = {"reward": 1.0, "verdict": "equivalent"}, {"reward": None, "verdict": None}
    rows = [{"task": f"t\n{number}", "repeat": 0, "old": right, "new": masked} for number in range(SHOWN + 2)]
    moved = {"compared": 50, "rows": rows, "counts": {"1 (equivalent) -> masked": SHOWN + 2}}
    lines = list(rescored({**REPORT, "moved": moved}))
    assert lines[8:11] == [
        "moved         42 of 50 that had a score before",
        "                  42  1 (equivalent) -> masked",
        "              task t\\x0a0, repeat 0: 1 (equivalent) -> masked",
    ]
    assert lines[-1] == "              ... and 2 more; --json names them all"
    assert len(lines) == 8 + 2 + SHOWN + 1


def test_the_judges_own_spread_stands_beside_that_of_the_tasks() -> None:
    found = {
        "judgings": 3,
        "judged": 40,
        "measured": 41,
        "agreement": 0.975,
        "flips": 2,
        "means": [0.5, 0.525],
        "standard_deviation": 0.0125,
        "standard_error": None,
    }
    assert list(rescored({**REPORT, "judge_repeats": found}))[8:] == [
        "judgings      3, with a verdict each for 40 answers",
        "              agreement 97.5%; 2 answers got different verdicts",
        "              means 0.5000, 0.5250",
        "              standard deviation of the mean between judgings 0.0125; standard error of the mean over tasks -",
    ]


def test_one_difference_is_said_and_the_others_are_counted() -> None:
    found = [{"path": "a\x07", "what": "extra"}, {"path": "b", "what": "differs"}]
    assert list(differing("R", found[1:])) == ["R/b is not what is computed again"]
    assert list(differing("R", found)) == ["R/a\\x07 belongs to no rollout", "and 1 more; --json names them all"]
