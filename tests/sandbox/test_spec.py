"""The create call, as podman gets it."""

from pathlib import Path
from typing import Any

import attrs
import pytest
from syrupy.assertion import SnapshotAssertion

from harness.sandbox import spec
from harness.sandbox.slots import Slot
from harness.sandbox.values import Stage

STAGE = Stage(
    command=("/bin/sh", "-c", "true"),
    env={"PATH": "/usr/bin", "HOME": "/home"},
    files={"prompt.txt": b"What is it?"},
    outputs={"events.jsonl": 1000, "err.log": 10},
    labels={"run": "r1", "task": "t1", "attempt": "1"},
)
BOX = Path("/state/boxes/p1-0")
PLACE = spec.Place(
    name="p1-0",
    owner="p1",
    rootfs=Path("/nix/store/x-rootfs/root"),
    seccomp=Path("/state/conf/seccomp.json"),
    inputs=BOX / "in",
    outputs={"events.jsonl": BOX / "out0/data", "err.log": BOX / "out1/data"},
    writable={"/workspace": BOX / "rw-workspace", "/tmp": BOX / "rw-tmp"},
)


def test_the_whole_call(snapshot: SnapshotAssertion) -> None:
    assert spec.create(STAGE, Slot(3), PLACE) == snapshot


def test_no_more_than_the_harness_itself_may_have() -> None:
    asked = spec.create(STAGE, Slot(0), attrs.evolve(PLACE, ceilings={"nofile": 1024, "nproc": 1 << 20}, oom_score=900))
    limits = {one["type"]: one["hard"] for one in asked["r_limits"]}
    assert (limits["nofile"], limits["nproc"]) == (1024, STAGE.limits.pids)
    assert asked["oom_score_adj"] == 900


def test_a_label_can_not_take_the_owners_place() -> None:
    asked = spec.create(attrs.evolve(STAGE, labels={"owner": "somebody"}), Slot(0), PLACE)
    assert asked["labels"] == {"harness.owner": "p1"}


@pytest.mark.parametrize("number", [0, 1, 31])
def test_slots_are_disjoint_and_leave_out_the_harness_itself(number: int) -> None:
    (ids,) = spec.create(STAGE, Slot(number), PLACE)["idmappings"]["UIDMap"]
    assert ids == {"container_id": 0, "host_id": 1 + 2000 * number, "size": 2000}


def test_no_writable_mount_but_the_bounded_ones() -> None:
    def writable(mount: dict[str, Any]) -> bool:
        return "ro" not in mount["options"]

    mounts = spec.create(STAGE, Slot(0), PLACE)["mounts"]
    bounded = {str(path) for path in (*PLACE.writable.values(), *PLACE.outputs.values())}
    assert {mount["source"] for mount in mounts if writable(mount)} == bounded
