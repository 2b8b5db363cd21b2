"""The sandbox's self-test: what a rollout must not reach or change is tried, from inside of real sandboxes."""

from harness.sandbox.selftest.full import full
from harness.sandbox.selftest.quick import quick
from harness.sandbox.selftest.values import Report, State, Twin, Vector

__all__ = ["Report", "State", "Twin", "Vector", "full", "quick"]
