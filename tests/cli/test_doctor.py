"""``harness doctor``: what it prints, and its exit statuses; what is seen of a machine is given."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.cli.main import run
from harness.run.doctor import entering, facts, reading
from harness.run.doctor.values import Check, Seen
from tests.run.doctor.machines import ALL_TRIED, FIT

Given = Callable[..., None]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Given:
    """Has the command see another machine than this one; ``asked`` is the self-test that it must ask for."""

    def give(seen: Seen = FIT, tried: entering.Tried = ALL_TRIED, asked: str = "") -> None:
        def enter(selftest: str, _: object) -> entering.Tried:
            assert selftest == asked
            return tried

        monkeypatch.setattr(reading, "look", lambda _env, run: attrs.evolve(seen, run=run and FIT.run))
        monkeypatch.setattr(entering, "enter", enter)
        monkeypatch.setattr(facts, "provided", lambda *_: {"kernel": "6.12"})

    return give


def _vector(name: str, *, held: bool) -> dict[str, Any]:
    state = "held" if held else "broken"
    return {"name": name, "class": "sockets", "state": state, "held": held, "detail": "answered\x1b[2J"}


def _twin(*, detected: bool) -> dict[str, Any]:
    return {"name": "raw-allowed", "class": "sockets", "detected": detected, "detail": "seen"}


def test_a_fit_machine(given: Given, capsys: pytest.CaptureFixture[str]) -> None:
    given()
    assert run(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "ok         newuidmap: /usr/bin/newuidmap, mode 4755, sha256 " + "ab" * 32 in lines
    assert lines[-1] == f"{len(lines) - 1} ok"


def test_what_to_do_stands_below_what_was_found(given: Given, capsys: pytest.CaptureFixture[str]) -> None:
    given(attrs.evolve(FIT, helpers={"newuidmap": None}))
    assert run(["doctor"]) == 5
    said = capsys.readouterr().out
    assert "failed     newuidmap: newuidmap is not on PATH" in said
    assert "\n           -> As root: apt-get install uidmap\n" in said
    assert said.endswith("ok, 1 failed\n")


def test_a_warning_is_no_failure(given: Given) -> None:
    given(attrs.evolve(FIT, cpus=1))
    assert run(["doctor"]) == 0


def test_json(given: Given, capsys: pytest.CaptureFixture[str]) -> None:
    given(attrs.evolve(FIT, cpus=1))
    assert run(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["host"] == {"kernel": "6.12"}
    assert set(found) == {"checks", "host"}
    (amiss,) = [one for one in found["checks"] if one["state"] != "ok"]
    assert set(amiss) == {"name", "state", "found", "advice"}
    assert amiss["name"] == "processors"


def test_a_run_folder_is_looked_at_when_it_is_named(given: Given, capsys: pytest.CaptureFixture[str]) -> None:
    given()
    assert run(["doctor", "--run", "R"]) == 0
    assert "hard links in the run folder" in capsys.readouterr().out
    assert run(["doctor"]) == 0
    assert "run folder" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("held", "detected", "status"), [(True, True, 0), (True, False, 5), (False, True, 4), (False, False, 4)]
)
def test_the_selftest_decides_the_exit_status(
    given: Given, capsys: pytest.CaptureFixture[str], held: bool, detected: bool, status: int
) -> None:
    vectors, twins = [_vector("raw", held=held), _vector("packet", held=True)], [_twin(detected=detected)]
    given(tried=attrs.evolve(ALL_TRIED, vectors=vectors, twins=twins), asked="full")
    assert run(["doctor", "--sandbox", "--json"]) == status
    found = json.loads(capsys.readouterr().out)
    assert (found["vectors"], found["twins"]) == (vectors, twins)
    assert run(["doctor", "--sandbox"]) == status
    said = capsys.readouterr().out
    assert ("\nbroken: sockets: raw: answered\\x1b[2J\n" in said) is not held
    assert ("\nweakened, and NOT detected: sockets: raw-allowed: seen\n" in said) is not detected
    assert f"\n2 vectors: {'2 held' if held else '1 broken, 1 held'}\n" in said
    assert f"\n1 weakened sandboxes: {int(detected)} detected\n" in said


def test_a_broken_vector_is_worse_than_a_failed_check(given: Given) -> None:
    given(
        attrs.evolve(FIT, machine="aarch64"),
        attrs.evolve(ALL_TRIED, vectors=[_vector("raw", held=False)], twins=[]),
        asked="quick",
    )
    assert run(["doctor", "--sandbox", "--quick"]) == 4


def test_a_selftest_that_could_not_be_run_is_no_success(given: Given, capsys: pytest.CaptureFixture[str]) -> None:
    failed = Check("sandbox", "failed", "podman does not start", "Report this.")
    given(tried=attrs.evolve(ALL_TRIED, checks={**ALL_TRIED.checks, "sandbox": failed}), asked="full")
    assert run(["doctor", "--sandbox", "--json"]) == 5
    assert json.loads(capsys.readouterr().out)["vectors"] == []


def test_quick_alone_means_nothing(given: Given, tmp_path: Path) -> None:
    given()
    assert run(["doctor", "--quick"]) == 2
