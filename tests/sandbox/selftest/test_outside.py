"""The outer side, as far as it needs no sandbox."""

import json
import socket

import pytest

from harness.sandbox.selftest import exhausting, staging, standins
from harness.sandbox.selftest.probes import network
from harness.sandbox.selftest.running import Ran
from harness.sandbox.selftest.secrets import of_environment
from harness.sandbox.values import Ended, Evidence


def test_something_listens_at_every_address_that_is_tried() -> None:
    places = standins.elsewhere()
    assert len(places) == len(set(places))
    for target in network.TARGETS:
        if target.answers:
            continue
        family = network.V4 if target.address.startswith("::ffff:") else target.family
        heard = {
            place.address for place in places if (place.family, place.kind, place.port) == (family, *target[2:5:2])
        }
        assert heard & {"0.0.0.0", "::", target.address}, target.name


def test_the_hosts_places_are_its_loopback_alone() -> None:
    places = standins.of_the_host("name")
    assert {place.address for place in places} == {"127.0.0.1", "::1", "\0name"}
    tried = {(target.kind, target.port) for target in network.TARGETS if target.answers}
    assert {(place.kind, place.port) for place in places if place.family != socket.AF_UNIX} == tried


def test_the_names_of_other_peoples_sockets_may_be_anything() -> None:
    lines = [b"%016x: 00000002 00000000 00000000 0002 01 %d %s" % (number, number, name) for number, name in enumerate(
        (b"@ids-1", b"@\xff\xfe", b"@\n\n", b"@ ids-9", b"/run/ids-8", b"@a\r@ids-7", b"@ids-2")
    )]  # fmt: skip
    table = b"\n".join((b"Num       RefCount Protocol Flags    Type St Inode Path", *lines, b""))
    assert staging.names_in(table, "ids-") == ["ids-1", "ids-2"]


def test_a_stage_holds_all_probes_and_a_mark_and_no_secret() -> None:
    stage = staging.stage({"neighbour": "other"}, "mark")
    assert stage.command[-2:] == ("/task/in/facts.json", "mark")
    assert json.loads(stage.files["facts.json"]) == {"neighbour": "other"}
    assert stage.files["mark"] == b""
    for module in ("__init__", "main", "network", "kernel", "exhaustion"):
        assert f"probes/{module}.py" in stage.files
    assert "from probes.main import main" in stage.command[-3]


def test_the_bounds_of_twins_are_above_those_that_are_to_hold() -> None:
    for name in ("memory", "workdir", "tmp", "shm", "pids", "open_files", "inodes"):
        assert getattr(exhausting.LARGE, name) > 2 * getattr(exhausting.SMALL, name)


@pytest.mark.parametrize(
    ("name", "secret"),
    [("POLICY_API_KEY", True), ("hf_token", True), ("DB_PASSWORD", True), ("PATH", False), ("POLICY_MODEL", False)],
)
def test_secrets_are_told_by_the_names_of_their_variables(name: str, secret: bool) -> None:
    assert of_environment({name: "value", "EMPTY_KEY": ""}) == (("value",) if secret else ())


def _ran(how: str, memory: str, report: bytes = b"") -> Ran:
    evidence = Evidence(
        ruleset=b"",
        seccomp=b"",
        allowed=0,
        denied=0,
        destinations=(),
        truncated=False,
        counters={},
        limits={"memory": memory},  # type: ignore[dict-item]
        peak_rss=300 << 20,
        dead=(),
        full=(),
        outputs={},
    )
    return Ran(report, Ended(None, how, 1.0), evidence, ())  # type: ignore[arg-type]


def test_memory_is_judged_by_what_ended_the_sandbox() -> None:
    vector = exhausting.memory_vector(_ran("out-of-memory", "watchdog"))
    assert (vector.state, vector.detail) == ("held by the watchdog", "watchdog, 300 MiB at most")
    assert exhausting.memory_vector(_ran("out-of-memory", "cgroup")).state == "held"


@pytest.mark.parametrize("how", ["exited", "timed-out", "stopped"])
def test_a_sandbox_that_outlived_its_memory_is_broken_whatever_it_says(how: str) -> None:
    line = {"name": "memory", "group": "exhaustion", "result": "refused", "detail": "x"}
    vector = exhausting.memory_vector(_ran(how, "cgroup", json.dumps(line).encode()))
    assert (vector.state, vector.detail) == ("broken", f"{how}: x")
