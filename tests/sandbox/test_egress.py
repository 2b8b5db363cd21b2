"""What a proof must say; each forged one lacks or changes one thing, and that is named."""

import re
from typing import Any

import attrs
import pytest

from harness.errors import CanonicalError
from harness.sandbox import ruleset
from harness.sandbox.egress import Claim, problems
from harness.store.digests import digest, parse_digest
from harness.store.egress import Egress

COUNTERS = {**dict.fromkeys(ruleset.COUNTERS, 0), "answers": 9, "loopback": 2}
LIMITS = {"cpus": "none", "memory": "watchdog", "pids": "ulimit", "workdir": "tmpfs", "tmp": "tmpfs", "shm": "tmpfs"}
DEAD = ("init", "ids")


def to(address: str, protocol: str = "tcp", port: Any = 443, packets: Any = 1) -> dict[str, Any]:
    return {"address": address, "protocol": protocol, "port": port, "packets": packets}


TRIED = (to("192.0.2.1", packets=3), to("2001:db8::1", "udp", 53), to("192.0.2.7", "253", None))
SUMS = {"denied_tcp": 3, "denied_udp": 1, "denied_other": 1}


def egress(*destinations: dict[str, Any], denied: int = 0, truncated: bool = False, **counters: int) -> Egress:
    return Egress(
        ruleset_sha256=parse_digest(ruleset.digest()),
        allowed=12,
        denied=denied,
        destinations=destinations,
        truncated=truncated,
        counters={**COUNTERS, **counters},
    )


SOME = egress(*TRIED, denied=5, **SUMS)


def claim(found: Egress | None = SOME, **more: Any) -> Claim:
    about: dict[str, Any] = {
        "outcome": "answered",
        "masked": False,
        "how": "exited",
        "calls": 2,
        "refusals": 1,
        "seccomp": digest(b"filter"),
        "limits": {**LIMITS, "inodes": "tmpfs"},
        "dead": DEAD,
    }
    return Claim(egress=found, **{**about, **more})


def many(count: int) -> list[dict[str, Any]]:
    return [to(f"10.0.{number >> 8}.{number & 255}", "udp", 9) for number in range(count)]


@pytest.mark.parametrize(
    "whole",
    [
        claim(),
        claim(egress()),
        claim(egress(), calls=0, refusals=0),
        claim(attrs.evolve(egress(answers=0), allowed=0), calls=0, refusals=0),
        claim(attrs.evolve(egress(answers=2), allowed=4)),
        claim(limits={**LIMITS, "inodes": "tmpfs", "memory": "cgroup"}, dead=(*DEAD, "cgroup")),
        claim(masked=True, outcome="upstream-failed"),
        claim(egress(*many(1024), denied=1024, denied_udp=1024)),
        claim(egress(*many(1024), denied=1030, truncated=True, denied_udp=1030, unlisted=6)),
        # A later fragment, the gateway's address with another port and protocol, a port of zero.
        claim(egress(to("192.0.2.1", "udp", None), denied=1, denied_udp=1)),
        claim(egress(to("169.254.1.1", "tcp", 18081), denied=1, denied_tcp=1)),
        claim(egress(to("169.254.1.1", "udp", 18080), denied=1, denied_udp=1)),
        claim(egress(to("192.0.2.1", "tcp", 0), denied=1, denied_tcp=1)),
        claim(egress(to("ff02::16", "ipv6-icmp", None, 2), denied=2, denied_icmp=2)),
        claim(egress(to("::ffff:192.0.2.1", "udp", 9), denied=1, denied_udp=1)),
    ],
)
def test_a_whole_proof_has_no_problem(whole: Claim) -> None:
    assert list(problems(whole)) == []
    assert whole.proved


FORGED = {
    "no proof": (claim(None), "the proof is missing"),
    "none of a masked attempt that had a sandbox": (claim(None, masked=True, outcome="upstream-failed"), "is missing"),
    "none of a masked attempt that was killed": (
        claim(None, masked=True, outcome="no-model-call", how="stopped", calls=0, refusals=0),
        "is missing",
    ),
    "none of what is said to count though its sandbox failed": (claim(None, outcome="sandbox-failed"), "is missing"),
    "no counters": (claim(attrs.evolve(SOME, counters=None)), "no counters by protocol"),
    "a counter less": (claim(attrs.evolve(SOME, counters={"answers": 1})), "its counters are answers, not"),
    "other rules": (claim(attrs.evolve(SOME, ruleset_sha256=digest(b"accept"))), "none that this version"),
    "no filter": (claim(seccomp=None), "no system call filter"),
    "read while it lived": (claim(dead=("init",)), "was dead when its counters were read"),
    "fewer refused": (claim(attrs.evolve(SOME, denied=4)), "4 packets were refused, but 5 by protocol"),
    "none refused": (claim(attrs.evolve(SOME, denied=0)), "0 packets were refused"),
    "a destination taken away": (claim(egress(*TRIED[1:], denied=5, **SUMS)), "but 2 stand with a destination"),
    "a destination's packets": (claim(egress(to("192.0.2.1"), denied=3, denied_tcp=3)), "but 1 stand with a"),
    "all of them hidden": (
        claim(egress(denied=5, truncated=True, denied_tcp=5, unlisted=5)),
        "no set is full: none has 1024",
    ),
    "some of them hidden": (
        claim(egress(*many(1023), denied=1024, truncated=True, denied_udp=1024, unlisted=1)),
        "no set is full",
    ),
    "truncated without more": (claim(attrs.evolve(SOME, truncated=True)), "truncated is true, but 0 packets"),
    "more, not truncated": (
        claim(egress(*many(1024), denied=1025, denied_udp=1025, unlisted=1)),
        "truncated is false, but 1 packets",
    ),
    "more than a set holds": (claim(egress(*many(1025), denied=1025, denied_udp=1025)), "the 1024 for which a set"),
    "another protocol": (claim(egress(to("192.0.2.1"), denied=1, denied_udp=1)), "denied_tcp is 0, but"),
    "twice": (claim(egress(to("192.0.2.1"), to("192.0.2.1"), denied=2, denied_tcp=2)), "listed twice"),
    "calls without packets": (claim(attrs.evolve(SOME, allowed=0)), "had 2 calls and refused 1, but 0 packets"),
    "calls without answers": (claim(egress(answers=0)), "12 packets went to it and 0 came back"),
    "refusals without packets": (claim(attrs.evolve(egress(), allowed=0), calls=0), "had 0 calls and refused 1"),
    "fewer packets than calls take": (claim(attrs.evolve(egress(), allowed=3)), "but only 3 packets went to it and 9"),
    "fewer answers than calls take": (claim(egress(answers=1)), "12 packets went to it and 1 came back"),
    "answers to nothing": (
        claim(attrs.evolve(egress(), allowed=0), calls=0, refusals=0),
        "9 packets came back from the gateway, but none went",
    ),
    "a keeper that can't": (claim(limits={**LIMITS, "inodes": "tmpfs", "memory": "tmpfs"}), "can't hold it"),
    "an unknown sign of death": (claim(dead=(*DEAD, "hope")), "was seen to be dead by 'hope'"),
    "a cgroup that was not seen empty": (
        claim(limits={**LIMITS, "inodes": "tmpfs", "memory": "cgroup"}),
        "it doesn't say that this was empty",
    ),
    "an unknown keeper": (claim(limits={**LIMITS, "inodes": "hope"}), "held by 'hope'"),
    "a limit that nothing held": (claim(limits={**LIMITS, "inodes": "none"}), "nothing held its limit 'inodes'"),
    "no limits": (claim(limits={}), "nothing held its limit 'memory'"),
}


@pytest.mark.parametrize("name", FORGED)
def test_what_is_missing_or_does_not_fit_is_named(name: str) -> None:
    forged, said = FORGED[name]
    assert any(re.search(re.escape(said), problem) for problem in problems(forged)), list(problems(forged))
    assert not forged.proved


@pytest.mark.parametrize(
    "wrong",
    [
        to("169.254.1.1", "tcp", 18080),
        to("127.0.0.1"),
        to("::1"),
        to("example.org"),
        to("192.0.2.300"),
        to("2001:DB8::1"),
        to("2001:db8:0::1"),
        to("::ffff:c000:201"),
        to("fe80::1%lo", "udp"),
        to("192.0.2.1", "http"),
        to("192.0.2.1", "6"),
        to("192.0.2.1", "256", None),
        to("192.0.2.1", port=65536),
        to("192.0.2.1", port=-1),
        to("192.0.2.1", port="443"),
        to("192.0.2.1", port=True),
        to("192.0.2.1", "icmp", 8),
        to("192.0.2.1", packets=0),
        to("192.0.2.1", packets=-3),
        to("192.0.2.1", packets=True),
        to("192.0.2.1", packets="1"),
        {**to("192.0.2.1"), "reached": True},
        {"address": "192.0.2.1"},
    ],
)
def test_what_can_be_no_destination_is_named(wrong: dict[str, Any]) -> None:
    found = list(problems(claim(egress(wrong, denied=1, denied_tcp=1))))
    assert found == [f"{wrong} can't be a destination that was refused"]


@pytest.mark.parametrize(
    "more",
    [
        {"outcome": "sandbox-failed"},
        {"outcome": "sandbox-failed", "how": None},
        {"outcome": "upstream-failed", "how": None, "calls": 0, "refusals": 0},
    ],
)
def test_a_masked_attempt_without_a_sandbox_that_could_be_read_needs_no_proof_and_has_none(more: Any) -> None:
    without = claim(None, masked=True, **more)
    assert list(problems(without)) == []
    assert without.excused
    assert not without.proved


@pytest.mark.parametrize(
    ("content", "observed"),
    [
        ({}, {}),
        ([], []),
        ({"outcome": {"kind": "x", "masked": False}, "calls": []}, {"egress": 1, "how": None, "refusals": []}),
    ],
)
def test_what_is_no_record_is_refused(content: Any, observed: Any) -> None:
    with pytest.raises((KeyError, TypeError, ValueError, CanonicalError)):
        Claim.read(content, observed)


def test_what_can_be_no_destination_is_named_in_a_line_however_long_it_is() -> None:
    (found,) = problems(claim(egress(to("x" * 10_000), denied=1, denied_tcp=1)))
    assert len(found) < 300
