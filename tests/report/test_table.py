"""The table of a run."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from harness.gateway.printed_parts import PRINTED_PARTS
from harness.report.table import benchmark, render
from harness.run.egress.sums import Sent
from harness.run.summary import Result, figures

GROUPS = {"type": "Visual Tracking", "subtype": "Connect the lines"}
RESULTS = [
    Result(task="1", repeat=0, outcome="answered", reward=1.0, attempts=1, groups=GROUPS, played_ns=4 * 10**10),
    Result(task="2", repeat=0, outcome="no-answer", reward=0.0, attempts=2, groups=GROUPS, waited_ns=10**10),
    Result(
        task="3",
        repeat=0,
        outcome="upstream-failed",
        reward=None,
        attempts=3,
        flags=("off-chain-calls",),
        groups={"type": "Spatial Perception", "subtype": "Count the blocks"},
    ),
]


def summary(results: list[Result], **rest: Any) -> dict[str, Any]:
    about = {"run": "runs/r", "benchmark": "babyvision", "demo": True, "content_digest": "c" * 64, "new_attempts": 2}
    about |= {"policy_model": "a-model", "judge_model": "gpt-4o-mini"}
    return {**about, **figures(results), **rest}


def test_a_run_with_one_masked_rollout(snapshot: SnapshotAssertion) -> None:
    assert render(summary(RESULTS), 100) == snapshot


def test_a_run_with_repeats(snapshot: SnapshotAssertion) -> None:
    rewards = {"1": (1.0, 0.0, 1.0), "2": (1.0, 1.0, None), "3": (0.0, 0.0, 0.0)}
    results = [
        Result(task=task, repeat=repeat, outcome="answered", reward=reward, groups=GROUPS, extracted_answer="7")
        for task, of_task in rewards.items()
        for repeat, reward in enumerate(of_task)
    ]
    text = render(summary(results), 100)
    assert text == snapshot
    assert max(map(len, render(summary(results), 40).splitlines())) <= 40


@pytest.mark.parametrize(
    ("name", "demo", "said"),
    [("babyvision", True, "babyvision (demo puzzles)"), ("sums", True, "sums (demo)"), ("sums", False, "sums")],
)
def test_only_the_harness_s_own_benchmarks_have_demo_puzzles(name: str, demo: bool, said: str) -> None:
    assert benchmark(name, demo=demo) == said


@pytest.mark.parametrize("width", [32, 40, 60])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    text = render(summary(RESULTS), width)
    assert max(map(len, text.splitlines())) <= width
    assert "0.5000" in text


def test_nothing_measured_is_shown_without_a_number() -> None:
    text = render(summary([RESULTS[2]]), 100)
    assert "mean/reward    -  (bounds 0.0000 to 1.0000)" in text


def test_the_flag_for_a_printed_list_comes_with_what_to_do() -> None:
    flagged = Result(task="1", repeat=0, outcome="answered", reward=0.0, flags=(PRINTED_PARTS,))
    assert "chat template" in render(summary([flagged]), 100)


@pytest.mark.parametrize(
    ("sent", "line"),
    [
        (Sent(proved=True), "1 of 1 rollout proved that it reached the gateway alone; no packet was refused"),
        (Sent(proved=False), "0 of 1 rollout proved that it reached the gateway alone; no packet was refused"),
        (
            Sent(proved=True, refused=3000, truncated=True, destinations=bytes(range(16))),
            "alone; 3,000 packets refused, to 2 destinations, and more that 1 rollout had no room to list",
        ),
    ],
)
def test_what_the_sandboxes_sent_is_one_line(sent: Sent, line: str) -> None:
    rollout = Result(task="1", repeat=0, outcome="answered", reward=0.0, sent=sent)
    assert line in render(summary([rollout]), 200)


def test_what_data_and_paths_hold_is_escaped_and_never_markup() -> None:
    group = Result(task="1", repeat=0, outcome="answered", reward=0.0, groups={"type": "[red]\x1b[31m"})
    text = render(summary([group], run="runs/\x1b]0;title\x07"), 100)
    assert "[red]\\x1b[31m" in text
    assert "runs/\\x1b]0;title\\x07" in text
    assert "\x1b" not in text
