"""The documents' commands, as a reader types them one after the other; tests/docs says which ones these are."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from harness.pins.running import running
from tests.docs.played import PLAYED, Played
from tests.integration.conftest import command

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the reader types: what a command makes, later ones use. Below ``bin`` is what ``harness`` stands for."""
    folder = tmp_path_factory.mktemp("reader")
    program = folder / "bin/harness"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.join(command())} "$@"\n')
    program.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def failed() -> list[str]:
    """The commands that failed: what comes after one of them proves nothing."""
    return []


@pytest.mark.parametrize("played", PLAYED, ids=lambda played: played.text)
def test_a_command_does_what_the_documents_say(
    played: Played, folder: Path, environment: dict[str, str], failed: list[str]
) -> None:
    if failed:
        pytest.skip(f"{failed[0]} failed")
    if "reproduce" in played.text and running().package is None:
        pytest.skip("a record of a harness out of a source tree names none: run these by `nix run .#tests`")
    failed.append(played.text)
    done = subprocess.run(
        ["sh", "-euc", played.typed],
        cwd=folder,
        env={**environment, "PATH": f"{folder}/bin:{environment['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == 0, printed
    assert [piece for piece in played.says if piece not in printed] == [], printed
    assert not (played.silent and printed), printed
    assert played.makes is None or os.path.lexists(folder / played.makes)
    failed.clear()
