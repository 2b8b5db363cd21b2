"""What the proofs of a run come to together."""

from typing import Any

import attrs

from harness.run.egress.sums import Sent, distinct, figures
from tests.sandbox.test_egress import claim, egress, to

ONE = claim(egress(to("192.0.2.1"), to("192.0.2.2"), denied=2, denied_tcp=2))
OTHER = claim(egress(to("192.0.2.2", packets=7), denied=7, denied_tcp=7))


def test_a_destination_of_several_rollouts_is_counted_once() -> None:
    proofs = [Sent.of(one) for one in (ONE, OTHER, claim(egress()), claim(None))]
    assert distinct(proofs) == 2
    expected = {"rollouts": 4, "proved": 3, "refused": 9, "destinations": 2, "truncated": 0}
    assert figures(proofs) == figures(reversed(proofs)) == expected
    assert figures([]) == dict.fromkeys(expected, 0)


def test_ports_and_protocols_are_destinations_of_their_own() -> None:
    places: list[dict[str, Any]] = [to("192.0.2.1"), to("192.0.2.1", port=80), to("192.0.2.1", "udp")]
    assert distinct([Sent.of(claim(egress(*places)))]) == 3


def test_what_a_forged_record_lists_is_counted_and_is_no_proof() -> None:
    assert ONE.egress is not None
    forged = attrs.evolve(
        ONE, egress=attrs.evolve(ONE.egress, destinations=({"address": "\udcff"}, {}), truncated=True)
    )
    assert figures([Sent.of(forged)]) == {"rollouts": 1, "proved": 0, "refused": 2, "destinations": 2, "truncated": 1}
