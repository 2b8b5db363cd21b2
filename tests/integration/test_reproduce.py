"""Reproducing archives, on a machine that never saw the run and where chance had a part; signing what one states."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.pins import storepaths
from tests.integration.bundles import Bundle, source
from tests.integration.chance import COMMAND, serve
from tests.integration.fresh import Fresh, made
from tests.synthetic import Shape, make

pytestmark = pytest.mark.integration


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Fresh]:
    yield from made(tmp_path / "machine")


async def test_a_run_is_reproduced_on_a_machine_with_an_empty_store_and_no_network(
    harness: Callable[..., Awaitable[Any]], bundle: Bundle, fresh: Fresh, tmp_path: Path
) -> None:
    played = await harness(
        *("eval", "babyvision", "--demo", "--tasks", "1,4", "--jobs", "2", "--json", "--run", tmp_path / "R")
    )
    assert played.status == 0, played.said
    archived = await harness("archive", tmp_path / "R", fresh.home / "r.tar", "--json")
    assert archived.status == 0, archived.said

    installed = await asyncio.to_thread(fresh.run, "sh", bundle.unpacked(fresh.home))
    assert installed.status == 0, installed.err
    words = ("reproduce", "r.tar", "--to", "again", "--jobs", "2", "--json")
    done = await asyncio.to_thread(fresh.run, fresh.home / ".local/bin/harness", *words)
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert found["reproduced"]
    assert found["first_difference"] is None
    assert found["rollouts"] == found["scores"] == found["scores_again"] == {"identical": 2, "of": 2}
    assert found["content_digest"] == found["content_digest_again"] == played.summary["content_digest"]
    assert (found["harness"], found["harness_from"]) == (bundle.facts["harness"], "this")
    assert json.loads((fresh.home / "again/report.json").read_bytes()) == found

    # What the archive states of the harness is what Nix knows of it.
    stated = json.loads((fresh.home / "again/recorded/provenance.json").read_bytes())["predicate"]["buildDefinition"]
    paths = {each["name"]: each["digest"].get("narSha256") for each in stated["resolvedDependencies"]}
    known = storepaths.closure([Path(bundle.facts["harness"])])
    assert found["store_paths_proven"] == len(known)
    assert {name: sha256 for name, sha256 in paths.items() if sha256} == {each.path: each.nar_sha256 for each in known}
    assert stated["internalParameters"] == {"harness": [bundle.facts["harness"]]}


async def test_where_chance_had_a_part_the_first_difference_is_named(
    harness: Callable[..., Awaitable[Any]], environment: dict[str, str], tmp_path: Path
) -> None:
    async with serve() as url:
        words = ("--policy-base-url", url, "--policy-model", "m", "--context", "65536", "--json")
        played = await harness("eval", "babyvision", "--demo", "--limit", "2", *words, "--run", tmp_path / "R")
    assert played.status == 0, played.said
    archived = await harness("archive", tmp_path / "R", tmp_path / "r.tar")
    assert archived.status == 0, archived.said

    # Another harness, that of the source tree, hands over to the one that made the run; the endpoint is gone.
    there = tmp_path / "again"
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "harness.cli", "reproduce", tmp_path / "r.tar", "--to", there, "--jobs", "2", "--json"],
        env={**environment, "PYTHONPATH": str(source()), "POLICY_BASE_URL": url, "HARNESS_DATA_DIR": "/nonexistent"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 5, done.stderr
    found = json.loads(done.stdout)
    assert found["harness_from"] == "store"
    assert found["rollouts"] == {"identical": 1, "of": 2}
    assert found["scores"] == {"identical": 2, "of": 2}
    assert not found["reproduced"]
    first = found["first_difference"]
    assert re.match(
        r"task '([12])', repeat 0: not-recorded: Request 1 of task '\1', repeat 0, is not in the record\.", first
    )
    assert "It departs from request 1 there at message 3 ('tool'), messages[3].content" in first
    assert f"NOT reproduced  {first}" in done.stderr
    assert COMMAND not in first  # it was asked for the same, and gave another number


def documented() -> str:
    """The commands with which docs/reproduce.md signs."""
    text = (source() / "docs/reproduce.md").read_text()
    return text.split("## Signing", 1)[1].split("```sh\n", 1)[1].split("```", 1)[0]


def test_what_an_archive_states_is_signed_as_it_is_documented(environment: dict[str, str], tmp_path: Path) -> None:
    keygen = os.environ.get("HARNESS_SIGNING")
    if not keygen:
        pytest.skip("HARNESS_SIGNING is not set: run these by `nix run .#tests`")
    make(tmp_path / "R", Shape(rollouts=4, tasks=2, calls=2))
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "ssh-keygen").symlink_to(keygen)
    (programs / "harness").write_text(f'#!/bin/sh\nexec {sys.executable} -I -m harness.cli "$@"\n')
    (programs / "harness").chmod(0o755)
    env = {**environment, "PATH": f"{programs}:{environment['PATH']}", "HOME": str(tmp_path)}

    def sh(script: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-euc", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )

    made_key = sh("ssh-keygen -q -t ed25519 -N '' -f key")
    assert made_key.returncode == 0, made_key.stderr
    done = sh(documented())
    assert done.returncode == 0, done.stderr
    assert 'Good "hermetic-harness" signature for me@example.org' in done.stdout
    # One other letter in what was signed, and nothing holds.
    changed = (tmp_path / "R2/provenance.json").read_bytes().replace(b"records", b"record5")
    (tmp_path / "R2/provenance.json").write_bytes(changed.replace(b"content", b"c0ntent"))
    verify = next(line for line in documented().splitlines() if "-Y verify" in line)
    assert sh(verify).returncode != 0
    assert sh("harness verify R2").returncode == 5
