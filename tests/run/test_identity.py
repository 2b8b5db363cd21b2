"""A run's identity: what changes it and what doesn't."""

from pathlib import Path

import attrs
import pytest
from syrupy.assertion import SnapshotAssertion

from harness.agents import opencode
from harness.benchmarks.babyvision.benchmark import BabyVision
from harness.benchmarks.babyvision.data.dataset import DataSet
from harness.benchmarks.babyvision.puzzle import Puzzle
from harness.benchmarks.demo import puzzles
from harness.gateway import GatewaySettings, Policy, Secret
from harness.pins import Closure
from harness.run.identity import manifest
from harness.store.digests import Digest, digest
from harness.store.manifest import Manifest, differences


class InMemory(dict[Digest, bytes]):
    """Images of a data set that lies nowhere."""

    def get(self, name: Digest) -> bytes:  # type: ignore[override]
        return self[name]


def drawn(seed: int) -> BabyVision:
    rows = puzzles.rows(seed)
    images = InMemory({digest(row.image): row.image for row in rows})
    return BabyVision.of("babyvision", DataSet.of(map(Puzzle.of, rows), images))


BENCHMARK = drawn(1)
POLICY = Policy(base_url="http://one/v1", model="m", api_key=None, sampling={}, max_output=1000, context=8000)
CLOSURE = Closure(Path("/nix/store/runtime"), Path("/nix/store/rootfs"), "0" * 64, "1" * 64)


def made(
    benchmark: BabyVision = BENCHMARK,
    policy: Policy = POLICY,
    agent: opencode.Settings | None = None,
    gateway: GatewaySettings | None = None,
    closure: Closure = CLOSURE,
    timeout: float = 1800,
) -> Manifest:
    return manifest(
        benchmark,
        ["1"],
        1,
        policy=policy,
        agent=agent or opencode.Settings(8000, 1000),
        gateway=gateway or GatewaySettings(),
        timeout=timeout,
        closure=closure,
        demo=True,
    )


def test_the_manifest_as_it_stands(snapshot: SnapshotAssertion) -> None:
    assert made().to_json() == snapshot


@pytest.mark.parametrize(
    "other",
    [
        made(policy=attrs.evolve(POLICY, base_url="https://two/v1", api_key=Secret("a-key-of-mine"))),
        made(gateway=GatewaySettings(attempts=9, heartbeat=1.0)),
        made(closure=attrs.evolve(CLOSURE, runtime=Path("/nix/store/other"), pins_sha256="2" * 64)),
    ],
    ids=["endpoint and key", "patience with the endpoint", "build of the runtime"],
)
def test_what_does_not_decide_the_result_is_not_in_it(other: Manifest) -> None:
    assert other.identity == made().identity


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (made(policy=attrs.evolve(POLICY, model="n")), "model"),
        (made(policy=attrs.evolve(POLICY, sampling={"temperature": 0.5})), "sampling.temperature"),
        (made(gateway=GatewaySettings(date="Fri Jan 02 2026")), "date"),
        (made(closure=attrs.evolve(CLOSURE, rootfs_sha256="3" * 64)), "rootfs"),
        (made(timeout=60), "budgets.timeout"),
        (made(drawn(2)), "tasks"),
        (made(attrs.evolve(BENCHMARK, instruction="Look.")), "prompts.instruction"),
        (made(agent=opencode.Settings(8000, 1000, "gpt-5")), "agent.config.provider"),
    ],
)
def test_what_decides_the_result_changes_it_and_is_named(other: Manifest, named: str) -> None:
    assert other.identity != made().identity
    assert any(line.startswith(named) for line in differences(made(), other))


def test_words_around_the_question_change_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = made()
    monkeypatch.setattr("harness.benchmarks.babyvision.asking.ANSWER_LINE", "Say it.")
    assert any(line.startswith("prompts.asked") for line in differences(before, made()))
