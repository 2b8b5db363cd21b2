"""What a rollout's sandbox sent, and whether that is proved: as one object, and as a block of text."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from harness.report.words import counted, plain
from harness.run.egress.check import problems
from harness.sandbox.egress import Claim
from harness.store.canonical import JSON
from harness.store.record import AttemptRecord
from harness.store.runfolder import RunFolder

TRIED_MAX: Final = 40  # destinations that are shown unless all are asked for
PROTOCOLS: Final = {"denied_tcp": "TCP", "denied_udp": "UDP", "denied_icmp": "ICMP", "denied_other": "other protocols"}


def to_json(run: RunFolder, record: AttemptRecord) -> dict[str, JSON]:
    """``proof`` in the object of ``harness show RUN TASK --json``; docs/egress.md names the keys."""
    claim, observed = Claim.of(record), record.observed
    kept, found = observed.filters(), problems(run, record)
    names = {"rules": observed.egress.ruleset_sha256 if observed.egress else None, "filter": observed.seccomp_sha256}
    return {
        "holds": claim.egress is not None and not found,
        "problems": list(found),
        "calls": claim.calls,
        "refusals": claim.refusals,
        **{name: str(run.blobs.path(blob)) if blob and blob in kept else None for name, blob in names.items()},
    }


def render(found: Mapping[str, Any], *, full: bool) -> Iterator[str]:
    """The block's lines, each with a name of ours at its beginning; ``found`` is the object of ``--json``."""
    proof, egress = found["proof"], found["observed"]["egress"]
    yield "== network"
    for name, text in rows(proof, egress, full=full):
        yield f"{name:<10} {plain(text)}"


def rows(proof: Mapping[str, Any], egress: Mapping[str, Any] | None, *, full: bool) -> Iterator[tuple[str, str]]:
    """Names and texts of the proof, from two parts of that object; texts may hold anything."""
    for problem in proof["problems"]:
        yield "NO PROOF", problem
    if egress is None:
        if not proof["problems"]:
            yield "proof", "none: there was no sandbox, or it could not be read; this attempt is no measurement"
        return
    if proof["holds"]:
        yield "proof", "it adds up: the sandbox reached nothing but the gateway"
    yield "rules", proof["rules"] or f"{egress['ruleset_sha256']} (their text was not kept)"
    if proof["filter"]:
        yield "filter", proof["filter"]
    yield (
        "gateway",
        f"{counted(egress['allowed'], 'packet')} to it: {counted(proof['calls'], 'call')}, {proof['refusals']} refused"
        + (
            " (connections without a request, or questions for the list of models)"
            if egress["allowed"] and not proof["calls"] and not proof["refusals"]
            else ""
        ),
    )
    counters = egress.get("counters") or {}
    by_protocol = [f"{name} {counters[key]:,}" for key, name in PROTOCOLS.items() if counters.get(key)]
    yield "refused", counted(egress["denied"], "packet") + (f": {', '.join(by_protocol)}" if by_protocol else "")
    yield from _tried(egress, counters, full=full)


def _tried(egress: Mapping[str, Any], counters: Mapping[str, int], *, full: bool) -> Iterator[tuple[str, str]]:
    most = None if full else TRIED_MAX
    for one in egress["destinations"][:most]:
        port = "" if one.get("port") is None else f" port {one.get('port')}"
        yield "tried", f"{one.get('address')} {one.get('protocol')}{port}, packets: {one.get('packets')}"
    if most is not None and (left := len(egress["destinations"]) - most) > 0:
        yield "tried", f"and {left:,} more destinations: --full shows them"
    if egress["truncated"]:
        yield "truncated", f"{counters.get('unlisted', 'some')} packets went to more destinations than are kept"
