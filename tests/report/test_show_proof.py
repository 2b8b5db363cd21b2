"""What a sandbox sent, as a block of text."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.report.show_proof import render, to_json
from harness.sandbox.egress import problems
from tests.sandbox.test_egress import SOME, claim, egress, many, to
from tests.synthetic import Shape, make


def block(one: Any, *, full: bool = False, **proof: Any) -> list[str]:
    about = {"holds": one.proved, "problems": list(problems(one)), "calls": one.calls, "refusals": one.refusals}
    sent = None if one.egress is None else one.egress.to_json()
    found = {"proof": {**about, "rules": "R/rules", "filter": "R/filter", **proof}, "observed": {"egress": sent}}
    return list(render(found, full=full))


def test_a_proof_says_what_was_refused_and_where_the_rules_stand() -> None:
    assert block(claim(SOME)) == [
        "== network",
        "proof      it adds up: the sandbox reached nothing but the gateway",
        "rules      R/rules",
        "filter     R/filter",
        "gateway    12 packets to it: 2 calls, 1 refused",
        "refused    5 packets: TCP 3, UDP 1, other protocols 1",
        "tried      192.0.2.1 tcp port 443, packets: 3",
        "tried      2001:db8::1 udp port 53, packets: 1",
        "tried      192.0.2.7 253, packets: 1",
    ]


def test_many_destinations_are_cut_unless_all_are_asked_for() -> None:
    found = claim(egress(*many(1024), denied=1030, truncated=True, denied_udp=1030, unlisted=6))
    lines = block(found)
    assert lines[-2:] == [
        "tried      and 984 more destinations: --full shows them",
        "truncated  6 packets went to more destinations than are kept",
    ]
    assert len(lines) == 48
    assert len(block(found, full=True)) == 1031


def test_packets_without_a_request_are_explained() -> None:
    assert "gateway    12 packets to it: 0 calls, 0 refused (connections without a request" in "\n".join(
        block(claim(egress(), calls=0, refusals=0))
    )


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (claim(None), "NO PROOF   nothing says what its sandbox sent: the proof is missing"),
        (claim(None, masked=True, outcome="sandbox-failed"), "proof      none: there was no sandbox, or it could not"),
        (claim(egress(to("\x1b[2J\n"), denied=1, denied_tcp=1)), "NO PROOF   {'address': '\\x1b[2J\\n', 'protocol'"),
    ],
)
def test_what_is_not_proved_is_said_first(one: Any, line: str) -> None:
    lines = block(one)
    assert lines[1].startswith(line)
    assert all(text.isprintable() for text in lines)


def test_a_record_that_kept_no_rules_has_their_digest() -> None:
    assert f"rules      {SOME.ruleset_sha256} (their text was not kept)" in block(claim(SOME), rules=None, filter=None)


def test_a_proof_under_another_filter_does_not_hold(tmp_path: Path) -> None:
    run = make(tmp_path / "R", Shape(rollouts=1, tasks=1, calls=1, image_bytes=100))
    record = run.rollout(next(iter(run.dones())))
    assert to_json(run, record)["holds"] is True
    lax = attrs.evolve(record, observed=attrs.evolve(record.observed, seccomp_sha256=run.blobs.put(b"{}")))
    found = to_json(run, lax)
    assert found["holds"] is False
    assert "not one that this version of the harness makes" in str(found["problems"])
