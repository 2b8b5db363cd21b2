"""What the self-test finds, and how it is printed."""

import pytest

from harness.sandbox.selftest.values import Report, State, Twin, Vector


@pytest.mark.parametrize(
    ("state", "held"),
    [("held", True), ("held by the watchdog", True), ("not supported here", True), ("broken", False)],
)
def test_a_vector_as_json(state: State, held: bool) -> None:
    vector = Vector("chroot", "mount, pivot, chroot", state, "EPERM")
    assert vector.to_json() == {
        "name": "chroot",
        "class": "mount, pivot, chroot",
        "state": state,
        "held": held,
        "detail": "EPERM",
    }


def test_a_twin_as_json() -> None:
    twin = Twin("no rules", "dns", detected=False, detail="not noticed by dns-udp")
    assert twin.to_json() == {"name": "no rules", "class": "dns", "detected": False, "detail": "not noticed by dns-udp"}


def test_a_report_names_what_is_wrong_in_it() -> None:
    good, bad = Vector("a", "x", "held", ""), Vector("b", "x", "broken", "")
    seen, unseen = Twin("a", "x", detected=True, detail=""), Twin("b", "x", detected=False, detail="")
    report = Report((good, bad), (seen, unseen))
    assert (report.broken, report.undetected) == ((bad,), (unseen,))
