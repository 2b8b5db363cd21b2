"""NeMo Gym's figures, against cases worked by hand."""

import math

import pytest

from harness.report.export.aggregate import Measured, Tried, aggregate, described, numbers
from harness.report.export.passing import Outcome, passing
from harness.report.export.repeating import repeating


def rollout(place: int, repeat: int, reward: float, **more: float) -> Measured:
    return Measured(place, repeat, {"reward": reward, **more}, None)


def test_which_fields_are_summed_up() -> None:
    usage = {"input_tokens": 3, "input_tokens_details": {"cached_tokens": 1}}
    row = {"_ng_task_index": 4, "reward": 1.0, "mask_sample": False, "x": None, "y": "2", "response": {"usage": usage}}
    assert numbers(row) == {"reward": 1.0, "mask_sample": 0.0, "input_tokens": 3.0}
    assert numbers({"reward": 0.0, "response": {"usage": None}}) == {"reward": 0.0}


def test_of_each_field() -> None:
    found = described([rollout(0, 0, 1.0, tokens=2), rollout(0, 1, 0.0, tokens=4), rollout(1, 0, 1.0)])
    # (1, 0, 1): mean 2/3, squared deviations 1/9 + 4/9 + 1/9 = 2/3, divided by 2
    assert found["mean/reward"] == pytest.approx(2 / 3)
    assert found["std/reward"] == pytest.approx(math.sqrt(1 / 3))
    assert (found["max/reward"], found["min/reward"], found["median/reward"]) == (1, 0, 1)
    # (2, 4): only where it stands
    assert (found["mean/tokens"], found["median/tokens"], found["std/tokens"]) == (3, 3, pytest.approx(math.sqrt(2)))


def test_a_single_rollout_has_no_spread() -> None:
    assert described([rollout(0, 0, 1.0)])["std/reward"] == 0.0


def test_a_field_of_one_of_two_rollouts_has_no_deviation() -> None:
    assert "std/tokens" not in described([rollout(0, 0, 1.0, tokens=2), rollout(0, 1, 0.0)])


def outcomes(*rewards: float, answers: str = "") -> list[Outcome]:
    given = answers or "-" * len(rewards)
    return [(reward, None if sign == "-" else sign) for reward, sign in zip(rewards, given, strict=True)]


def test_pass_at_k_without_bias() -> None:
    found = passing([outcomes(1, 0, 1, 0)])
    assert found["pass@1/accuracy"] == 50
    assert found["pass@2/accuracy"] == pytest.approx(100 * (1 - 1 / 6))  # C(2,2) / C(4,2)
    assert found["pass@3/accuracy"] == 100
    assert "pass@5/accuracy" not in found


def test_tasks_with_fewer_repeats_are_left_out_of_pass_at_k_alone() -> None:
    found = passing([outcomes(0, 1), outcomes(0)])
    assert found["pass@1/accuracy"] == 25
    assert found["pass@2/accuracy"] == 100
    assert found["pass@1[avg-of-2]/accuracy"] == 25
    assert found["per_sample_aggregate"]["accuracy"] == [0, 100]


def test_rewards_between_count_by_the_best_of_the_first() -> None:
    found = passing([outcomes(0.25, 0.5, 1)])
    assert (found["pass@1/accuracy"], found["pass@2/accuracy"]) == (25, 50)


def test_the_vote() -> None:
    found = passing([outcomes(1, 0, 0, 1, answers="abba"), outcomes(0, 1, 0, 0, answers="---c")])
    assert found["majority@1/accuracy"] == 50
    assert found["majority@2/accuracy"] == 25  # a and b are as common: half of it is right
    assert found["majority@4/accuracy"] == 25
    assert found["pass@1/no_answer"] == 37.5  # 0 of 4, and 3 of 4


def test_how_far_repeats_differ() -> None:
    found = passing([outcomes(1, 0), outcomes(1, 1)])
    # whole repeats come to 100 and 50
    assert found["pass@1[avg-of-2]/accuracy/std_dev_across_runs"] == pytest.approx(50 / math.sqrt(2))
    assert found["pass@1[avg-of-2]/accuracy/std_err_across_runs"] == pytest.approx(25)


def test_of_nothing_there_is_nothing() -> None:
    assert passing([]) == {}
    assert repeating([]) == {}
    assert repeating([(0, {"reward": 1.0})]) == {}


def test_across_repeats() -> None:
    found = repeating([(0, {"reward": 0.4}), (1, {"reward": 0.6}), (2, {"reward": 0.5}), (2, {"reward": 0.7})])
    # the means 0.4, 0.6, 0.6: mean 8/15, deviation 0.2 / sqrt(3), Student's 97.5 % point of 2 degrees: 4.302653
    error = 0.2 / 3
    assert found["mean_across_repeats/mean/reward"] == pytest.approx(8 / 15)
    assert found["median_across_repeats/mean/reward"] == pytest.approx(0.6)
    assert found["std_across_repeats/mean/reward"] == pytest.approx(0.2 / math.sqrt(3))
    assert found["se_across_repeats/mean/reward"] == pytest.approx(error)
    assert (found["min_across_repeats/mean/reward"], found["max_across_repeats/mean/reward"]) == (0.4, 0.6)
    assert found["ci_low_95_across_repeats/mean/reward"] == pytest.approx(8 / 15 - 4.302652729911 * error)
    assert found["ci_high_95_across_repeats/mean/reward"] == pytest.approx(8 / 15 + 4.302652729911 * error)


def test_the_interval_of_a_reward_stays_inside() -> None:
    found = repeating([(0, {"reward": 0.0, "tokens": 0.0}), (1, {"reward": 1.0, "tokens": 1.0})])
    assert found["ci_low_95_across_repeats/mean/reward"] == 0
    assert found["ci_high_95_across_repeats/mean/reward"] == 1
    assert found["ci_low_95_across_repeats/mean/tokens"] < -5


def test_masked_rollouts_count_in_coverage_alone() -> None:
    (entry,) = aggregate(
        {"name": "x"}, [rollout(0, 0, 1.0)], {0: Tried(2, 1), 1: Tried(2, 2), 2: Tried(2, 0), 3: Tried(2, 1)}
    )
    metrics = entry["agent_metrics"]
    assert {name: value for name, value in metrics.items() if name.startswith("coverage/")} == {
        "coverage/measured_rollouts": 1,
        "coverage/masked_rollouts": 4,
        "coverage/measured_tasks": 1,
        "coverage/fully_masked_tasks": 2,
    }
    assert entry["key_metrics"] == {"mean/reward": 1.0}
    (group,) = entry["group_level_metrics"]
    assert (group["num_rollouts"], group["expected_num_rollouts"], group["missing_num_rollouts"]) == (1, 2, 1)


def test_a_run_without_any_measurement_has_its_coverage() -> None:
    (entry,) = aggregate({"name": "x"}, [], {0: Tried(1, 1)})
    assert entry["agent_metrics"]["coverage/masked_rollouts"] == 1
    assert entry["key_metrics"] == {}
    assert entry["group_level_metrics"] == []
