"""The packet filter's rules."""

import hashlib
import re

from syrupy.assertion import SnapshotAssertion

from harness.sandbox import egress, ruleset


def test_rules(snapshot: SnapshotAssertion) -> None:
    assert snapshot == ruleset.RULES


def test_the_digest_is_of_the_rules_as_loaded() -> None:
    assert ruleset.digest() == hashlib.sha256(ruleset.RULES.encode()).hexdigest()


def test_every_counter_is_named_once_and_read() -> None:
    named = re.findall(r"^\tcounter (\w+)", ruleset.RULES, re.MULTILINE)
    assert sorted(named) == sorted(("allowed", "denied", *ruleset.COUNTERS))


def test_names_of_protocols_are_those_of_nft_itself() -> None:
    # Any other name is looked up in the host's /etc/protocols.
    named = re.findall(r"l4proto (?:!= )?(?:\{ ([^}]+) \}|(\w+) (?:counter|reject))", ruleset.RULES)
    names = {name.strip() for several, one in named for name in (several or one).split(",")}
    assert names == {"tcp", "udp", "icmp", "icmpv6"}


def test_a_record_of_an_earlier_version_is_of_known_rules() -> None:
    earlier = ruleset.RULES.replace("{ icmp, icmpv6 }", "{ icmp, ipv6-icmp }")
    assert hashlib.sha256(earlier.encode()).hexdigest() == ruleset.EARLIER
    assert egress.KNOWN[ruleset.EARLIER] == egress.KNOWN[ruleset.digest()]
