"""What a report means."""

import json

import pytest

from harness.sandbox.selftest import judging
from harness.sandbox.selftest.probes import main, network
from harness.sandbox.selftest.probes.telling import Facts, Probe
from harness.sandbox.selftest.values import State
from harness.sandbox.values import Destination


def _act(_: Facts) -> str:
    raise NotImplementedError


ONE = (Probe("door", "doors", _act),)


def _line(result: str, detail: str = "", name: str = "door") -> bytes:
    return json.dumps({"name": name, "group": "doors", "result": result, "detail": detail}).encode() + b"\n"


@pytest.mark.parametrize(
    ("result", "state", "detail"),
    [
        ("refused", "held", "E"),
        ("absent", "not supported here", "E"),
        ("done", "broken", "E"),
        ("failed", "broken", "the probe failed: E"),
        ("strange", "broken", "the probe failed: E"),
    ],
)
def test_what_a_probe_said_is_judged(result: str, state: State, detail: str) -> None:
    (vector,) = judging.judge({"user": _line(result, "E")}, probes=ONE)
    assert (vector.name, vector.group, vector.state, vector.detail) == ("door", "doors", state, detail)


@pytest.mark.parametrize(
    "report", [b"", b"{", b"[]\n", b'{"name": "door"}\n', b"\xff\n", _line("refused", name="other")]
)
def test_a_probe_without_an_answer_is_broken(report: bytes) -> None:
    (vector,) = judging.judge({"user": report}, probes=ONE)
    assert (vector.state, vector.detail) == ("broken", "the probe gave no answer")


def test_a_report_that_was_cut_keeps_what_was_whole() -> None:
    (vector,) = judging.judge({"user": _line("refused", "EPERM") + b'{"name": "next'}, probes=ONE)
    assert vector.state == "held"


@pytest.mark.parametrize(
    ("user", "root", "state", "detail"),
    [
        ("refused", "refused", "held", "E"),
        ("refused", "done", "broken", "user: E; root: F"),
        ("done", "absent", "broken", "user: E; root: F"),
        ("absent", "refused", "held", "user: E; root: F"),
        ("absent", "absent", "not supported here", "E"),
    ],
)
def test_the_worse_of_the_two_users_counts(user: str, root: str, state: State, detail: str) -> None:
    reports = {"user": _line(user, "E"), "root": _line(root, "E" if user == root else "F")}
    (vector,) = judging.judge(reports, probes=ONE)
    assert (vector.state, vector.detail) == (state, detail)


def test_a_secret_in_what_a_shell_can_read_is_counted_and_never_told() -> None:
    report = _line("seen", "A=1\0KEY=sk-marked-value\0")
    (vector,) = judging.judge({"user": report}, ["sk-marked-value", "sk-another-value"], ONE)
    assert vector.state == "broken"
    assert vector.detail == "1 of 2 secrets can be read"
    (vector,) = judging.judge({"user": report}, ["sk-another-value"], ONE)
    assert (vector.state, vector.detail) == ("held", "none of 1 secrets in 24 bytes")


def test_a_secret_is_found_by_its_bytes() -> None:
    text = "pässwörter".encode().decode("latin-1")
    (vector,) = judging.judge({"user": _line("seen", text)}, ["pässwörter"], ONE)
    assert vector.state == "broken"


def test_a_value_that_could_stand_anywhere_is_no_secret() -> None:
    (vector,) = judging.judge({"user": _line("seen", "dummy")}, ["dummy"], ONE)
    assert (vector.state, vector.detail) == ("held", "none of 0 secrets in 5 bytes")


def test_every_probe_has_a_vector_and_no_two_share_a_name() -> None:
    vectors = judging.judge({"user": b"", "root": b""})
    assert len(vectors) == len({one.name for one in vectors}) == len(main.PROBES) >= 45
    assert {one.state for one in vectors} == {"broken"}


def _destinations(without: str = "") -> tuple[Destination, ...]:
    found = []
    for target in network.TARGETS:
        if not target.answers and target.name != without:
            address = target.address.removeprefix("::ffff:").split("%")[0]
            found.append(Destination(address, "tcp" if target.kind == network.TCP else "udp", target.port, 1))
    return tuple(found)


def _reports(absent: str = "") -> bytes:
    return b"".join(_line("absent" if one.name == absent else "refused", name=one.name) for one in network.TARGETS)


def test_the_evidence_must_name_each_attempt() -> None:
    tried = sum(not target.answers for target in network.TARGETS)
    vector = judging.recorded(_reports(), _destinations())
    assert (vector.state, vector.detail) == ("held", f"all {tried} attempts stand in the evidence")
    vector = judging.recorded(_reports(), _destinations(without="public-udp6"))
    assert (vector.state, vector.detail) == ("broken", "not in the evidence: public-udp6")


def test_an_attempt_that_this_host_can_not_make_is_not_asked_for() -> None:
    assert judging.recorded(_reports("public-udp6"), _destinations("public-udp6")).state == "held"


def test_evidence_of_no_attempt_at_all_is_broken() -> None:
    assert judging.recorded(b"", _destinations()).state == "broken"


def test_what_the_outside_heard_is_broken_whatever_the_probes_said() -> None:
    assert judging.unheard([]).state == "held"
    vector = judging.unheard(["('0.0.0.0', 80)", "('0.0.0.0', 53)", "('0.0.0.0', 80)"])
    assert (vector.state, vector.detail) == ("broken", "heard at ('0.0.0.0', 53), ('0.0.0.0', 80)")
