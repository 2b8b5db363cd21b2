"""What a sandbox's report means. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence

import attrs

from harness.sandbox.selftest.probes import main, network
from harness.sandbox.selftest.probes.telling import Probe
from harness.sandbox.selftest.values import State, Vector
from harness.sandbox.values import Destination

#: The worst first: what holds for one user of a sandbox and not for the other does not hold.
ORDER: tuple[State, ...] = ("broken", "held by the watchdog", "held", "not supported here")
#: A shorter value of a variable could stand anywhere by chance.
SHORTEST_SECRET = 8


@attrs.frozen
class Line:
    """What one probe said: see `probes.telling`."""

    name: str
    group: str
    result: str
    detail: str


def parse(report: bytes) -> dict[str, Line]:
    """The lines by their probes' names; one that can't be read is as good as none."""
    found = {}
    for text in report.splitlines():
        try:
            line = Line(**json.loads(text))
        except (ValueError, TypeError):
            continue
        found[line.name] = line
    return found


def verdict(line: Line | None, secrets: Iterable[str]) -> tuple[State, str]:
    """The state that a line means; none at all means that nothing is known, which is broken."""
    match line:
        case None:
            return "broken", "the probe gave no answer"
        case Line(result="refused", detail=detail):
            return "held", detail
        case Line(result="absent", detail=detail):
            return "not supported here", detail
        case Line(result="seen", detail=text):
            return _search(text, [one for one in secrets if len(one) >= SHORTEST_SECRET])
        case Line(result=result, detail=detail):
            return "broken", detail if result == "done" else f"the probe failed: {detail}"


def _search(text: str, secrets: Sequence[str]) -> tuple[State, str]:
    """``text`` has one character for each byte. What was found is counted, never told."""
    found = sum(one.encode("utf-8", "surrogateescape").decode("latin-1") in text for one in secrets)
    if found:
        return "broken", f"{found} of {len(secrets)} secrets can be read"
    return "held", f"none of {len(secrets)} secrets in {len(text)} bytes"


def judge(
    reports: Mapping[str, bytes], secrets: Iterable[str] = (), probes: Sequence[Probe] = main.PROBES
) -> tuple[Vector, ...]:
    """A vector for every probe, whatever the reports hold.

    Args:
        reports: by the sandbox's user.
        secrets: values that no report may hold.
    """
    kept = tuple(secrets)
    lines = {user: parse(report) for user, report in reports.items()}
    return tuple(
        _worst(probe.name, probe.group, {user: verdict(found.get(probe.name), kept) for user, found in lines.items()})
        for probe in probes
    )


def _worst(name: str, group: str, found: Mapping[str, tuple[State, str]]) -> Vector:
    state = min((state for state, _ in found.values()), key=ORDER.index)
    details = {detail for _, detail in found.values()}
    told = details.pop() if len(details) == 1 else "; ".join(f"{user}: {detail}" for user, (_, detail) in found.items())
    return Vector(name, group, state, told)


def recorded(report: bytes, destinations: Sequence[Destination]) -> Vector:
    """Whether the evidence of a sandbox names each address that its probes tried."""
    lines = parse(report)
    seen = {(one.address, one.protocol, one.port) for one in destinations}
    missing = []
    tried = 0
    for target in network.TARGETS:
        line = lines.get(target.name)
        if target.answers or line is None or line.result == "absent":  # the loopback is the sandbox's own
            continue
        tried += 1
        protocol = "tcp" if target.kind == network.TCP else "udp"
        address = target.address.removeprefix("::ffff:").partition("%")[0]
        if (address, protocol, target.port) not in seen:
            missing.append(target.name)
    name, group = "attempts-recorded", "private and public addresses"
    if missing or not tried:
        return Vector(name, group, "broken", f"not in the evidence: {', '.join(missing) or 'anything'}")
    return Vector(name, group, "held", f"all {tried} attempts stand in the evidence")


def unheard(heard: Sequence[str]) -> Vector:
    """Whether what stands for the outside heard nothing, as it says itself."""
    name, group = "nothing-arrived", "private and public addresses"
    if heard:
        return Vector(name, group, "broken", f"heard at {', '.join(sorted(set(heard)))}")
    return Vector(name, group, "held", "the listeners that stand for the outside heard nothing")
