"""``harness doctor`` on this very machine, which runs all other tests: so it must find it fit."""

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.integration

HELPERS = ("newuidmap", "newgidmap")
SECONDS = 5.0  # for its whole processor time; how long it takes depends on what else runs here


async def test_this_machine_is_fit_and_left_as_it_was(
    harness: Callable[..., Awaitable[Any]], environment: dict[str, str], tmp_path: Path, short_folder: Path
) -> None:
    environment["HARNESS_STATE_DIR"] = str(short_folder)
    before = os.times()
    done = await harness("doctor", "--json", "--run", tmp_path / "R")
    used = os.times()
    assert done.status == 0, done.summary
    checks = {one["name"]: one for one in done.summary["checks"]}
    assert not [one for one in checks.values() if one["state"] in ("failed", "not known")]
    assert all(one["advice"] for one in checks.values() if one["state"] == "warning")
    for tried in ("namespace", "overlay", "tmpfs", "nftables", "sandbox", "hard links in the run folder"):
        assert checks[tried]["state"] == "ok"
    assert "memory by" in checks["limits"]["found"]
    assert "--require-limits" not in checks["limits"]["advice"]
    assert "podman version 4.3.1" in checks["programs"]["found"]
    host = done.summary["host"]
    assert host["newuidmap"]["sha256"] in checks["newuidmap"]["found"]
    assert host["subuid"]
    assert names(tmp_path) == []
    assert names(short_folder) == [f"hermetic-{os.getuid()}", "bin"]
    assert used.children_user + used.children_system - before.children_user - before.children_system < SECONDS


async def test_what_is_missing_is_named_and_the_rest_is_looked_at_all_the_same(
    harness: Callable[..., Awaitable[Any]], environment: dict[str, str], tmp_path: Path
) -> None:
    """A folder of programs without newuidmap is all that is on PATH."""
    environment["PATH"] = str(tmp_path)
    done = await harness("doctor", "--json")
    assert done.status == 5
    checks = {one["name"]: one for one in done.summary["checks"]}
    failed = [name for name, one in checks.items() if one["state"] == "failed"]
    assert failed == ["newuidmap", "newgidmap", "namespace"]
    assert checks["newuidmap"]["advice"] == "As root: apt-get install uidmap"
    assert checks["sandbox"]["state"] == "not known"


INSIDE = "import json, os; from harness.run.doctor.facts import provided; print(json.dumps(provided(os.environ)))"
ENTER = (
    "import os, sys; from harness.sandbox import namespace; "
    f"sys.exit(namespace.enter([sys.executable, '-c', {INSIDE!r}], dict(os.environ)))"
)


def test_inside_the_namespace_the_same_stands_for_the_record(environment: dict[str, str]) -> None:
    found = [
        json.loads(
            subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, check=True).stdout
        )
        for code in (INSIDE, ENTER)
    ]
    assert found[0] == found[1]
    assert found[0]["nix"].startswith("nix (Nix) ")


def names(folder: Path) -> list[str]:
    """Of all that is in a folder and below it, but for what links lead to."""
    return [name for _, folders, files in os.walk(folder) for name in (*folders, *files) if name not in HELPERS]
