"""When a weakened twin counts as detected, and what is weakened."""

from typing import Any

import pytest

from harness.sandbox import ruleset
from harness.sandbox.selftest import twins, weakened
from harness.sandbox.selftest.probes import exhaustion, main
from harness.sandbox.selftest.values import State, Vector


def _noticed(*states: State) -> tuple[bool, str]:
    vectors = [Vector(str(number), "dns", state, "") for number, state in enumerate(states)]
    (twin,) = twins.noticed("no rules", {"dns": [one.name for one in vectors]}, vectors)
    assert (twin.name, twin.group) == ("no rules", "dns")
    return twin.detected, twin.detail


def test_a_twin_is_detected_where_all_that_must_notice_did() -> None:
    assert _noticed("broken", "broken") == (True, "noticed by 2 of 2")
    assert _noticed("broken", "not supported here") == (True, "noticed by 1 of 2")


def test_a_twin_that_passes_as_sound_is_not_detected() -> None:
    assert _noticed("broken", "held") == (False, "not noticed by 1")
    assert _noticed("held by the watchdog", "held") == (False, "not noticed by 0, 1")


def test_a_twin_in_which_nothing_could_be_tried_is_not_detected() -> None:
    assert _noticed("not supported here") == (False, "noticed by 0 of 1")


def test_every_class_has_a_twin_and_every_name_is_a_probes() -> None:
    probes = (*main.PROBES, *exhaustion.PROBES, exhaustion.MEMORY)
    groups = {probe.name: probe.group for probe in probes}
    covered = set()
    for expected in (twins.NO_RULES, twins.NO_FILTER, twins.SHOWN, twins.LARGER):
        for group, names in expected.items():
            assert {groups[name] for name in names} == {group}
            covered.add(group)
    assert covered == set(groups.values())


def test_open_rules_count_and_refuse_nothing() -> None:
    rules = weakened.open_rules()
    assert "reject" not in rules
    assert "drop" not in rules
    assert rules.count("policy accept") == ruleset.RULES.count("policy drop") > 0
    assert rules.count("counter") == ruleset.RULES.count("counter")


ASKED: dict[str, Any] = {
    "seccomp_profile_path": "/strict.json",
    "cap_drop": ["ALL"],
    "no_new_privileges": True,
    "env": {"PATH": "/bin"},
    "command": ["python3"],
    "mounts": [{"destination": "/tmp"}, {"destination": "/home"}, {"destination": "/workspace"}],
    "user": "0:0",
}


def test_without_a_filter_nothing_else_changes() -> None:
    changed = weakened.without_filter(ASKED)
    assert changed["seccomp_profile_path"] == "unconfined"
    assert (changed["cap_drop"], changed["cap_add"], changed["no_new_privileges"]) == ([], ["ALL"], False)
    assert {name: changed[name] for name in ("env", "command", "mounts", "user")} == {
        name: ASKED[name] for name in ("env", "command", "mounts", "user")
    }


def test_what_is_planted_stands_where_it_should_be_found(short: weakened.Planted) -> None:
    changed = short.shown(ASKED)
    assert changed["env"] == {"PATH": "/bin", "PLANTED": short.secret}
    assert changed["command"] == ["python3", short.secret]
    assert [mount["destination"] for mount in changed["mounts"]] == [
        "/workspace",
        "/tmp",
        "/home",
        "/dev/shm",
        "/dev/planted",
        "/tmp/planted",
    ]
    assert short.secret not in repr(short)


@pytest.mark.integration  # a Nix build may not make a file set-user-id
@pytest.mark.usefixtures("_setuid")
def test_what_is_planted_is_there_and_gone_afterwards(short: weakened.Planted) -> None:
    with short.there():
        assert (short.folder / "note.txt").read_text() == short.secret
        assert sorted(path.name for path in short.folder.iterdir()) == [
            short.mark,
            "note.txt",
            "podman.sock",
            "tool",
        ]
    assert not short.folder.exists()
