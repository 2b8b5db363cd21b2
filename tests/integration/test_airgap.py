"""From a bundle to an archive on a machine with an empty store, and with no network but its own loopback."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.bundles import Bundle
from tests.integration.fresh import Ended, Fresh, made

pytestmark = pytest.mark.integration


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Fresh]:
    yield from made(tmp_path / "machine")


def test_there_is_no_way_out(fresh: Fresh) -> None:
    devices = fresh.run("cat", "/proc/net/dev").out.splitlines()[2:]
    assert [line.split(":")[0].strip() for line in devices] == ["lo"]
    assert fresh.run("cat", "/proc/net/route").out.splitlines()[1:] == []
    assert fresh.run("ls", "-A", "/nix").out == ""


def test_from_a_bundle_to_an_archive(bundle: Bundle, fresh: Fresh, capsys: pytest.CaptureFixture[str]) -> None:
    steps: dict[str, Ended] = {}

    def step(name: str, *argv: str | Path) -> str:
        steps[name] = fresh.run(*argv)
        assert steps[name].status == 0, f"{name}: {steps[name].out}\n{steps[name].err}"
        return steps[name].out

    installed = step("install", "sh", bundle.unpacked(fresh.home))
    harness = fresh.home / ".local/bin/harness"
    assert f"{harness} doctor" in installed

    checks = json.loads(step("doctor", harness, "doctor", "--json"))["checks"]
    assert not [check for check in checks if check["state"] in ("failed", "not known")]

    played = json.loads(step("demo", harness, "eval", "babyvision", "--demo", "--limit", "1", "--run", "R", "--json"))
    assert (played["measured"], played["reward"]) == (1, 1.0)
    step("rescore", harness, "rescore", "R", "--check")
    step("verify", harness, "verify", "R", "--egress")
    archived = json.loads(step("archive", harness, "archive", "R", "r.tar", "--json"))
    assert archived["content_digest"] == played["content_digest"]

    # A store that knows nothing but the bundle has the very same one in it.
    (flake,) = (fresh.home / ".local/state/hermetic").glob("source-*")
    again = json.loads(step("bundle again", harness, "bundle", "again.tar", "--source", flake, "--json"))
    assert again["sha256"] == bundle.facts["sha256"]

    with capsys.disabled():
        print(f"\nbundle: {bundle.facts['bytes'] / 2**20:,.0f} MiB in {bundle.seconds:.0f} s")
        print(", ".join(f"{name} {ended.seconds:.1f} s" for name, ended in steps.items()))
