"""The packet filter's rules."""

import hashlib
import re

from syrupy.assertion import SnapshotAssertion

from harness.sandbox import ruleset


def test_rules(snapshot: SnapshotAssertion) -> None:
    assert snapshot == ruleset.RULES


def test_the_digest_is_of_the_rules_as_loaded() -> None:
    assert ruleset.digest() == hashlib.sha256(ruleset.RULES.encode()).hexdigest()


def test_every_counter_is_named_once_and_read() -> None:
    named = re.findall(r"^\tcounter (\w+)", ruleset.RULES, re.MULTILINE)
    assert sorted(named) == sorted(("allowed", "denied", *ruleset.COUNTERS))
