"""Gym's names for failures."""

from typing import get_args

import pytest

from harness.agents.opencode import outcomes
from harness.report.export.vocabulary import FAILURE_KINDS, kind, reason


@pytest.mark.parametrize("outcome", [*get_args(outcomes.Measured), *get_args(outcomes.Masked)])
def test_each_outcome_has_a_name_of_gyms_if_it_is_a_failure(outcome: outcomes.Kind) -> None:
    recorded = outcomes.of(outcome)
    named = kind(recorded.failure_kind, masked=recorded.masked)
    assert named == recorded.failure_kind
    assert named in FAILURE_KINDS or (named is None and not recorded.masked)


def test_a_name_that_gym_does_not_know_is_not_passed_on() -> None:
    assert kind("somebody's own", masked=False) == "agent_run_error"
    assert kind(None, masked=True) == "agent_run_error"
    assert kind(None, masked=False) is None


def test_a_reason_is_as_long_as_gym_allows() -> None:
    assert reason("x" * 3000) == "x" * 2000
    assert reason("") is None
