"""The programs of docs/scripting.md, as a reader copies them."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.documents import DOCS, Page
from tests.integration.conftest import command

pytestmark = pytest.mark.integration

PAGE = DOCS / "scripting.md"


@pytest.fixture
def environment_with_harness(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The environment of a reader for whom ``harness`` is a command of its own."""
    program = tmp_path / "bin" / "harness"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.join(command())} "$@"\n')
    program.chmod(0o755)
    return {**environment, "PATH": f"{program.parent}:{environment['PATH']}"}


@pytest.mark.skipif(not PAGE.is_file(), reason="a tree without documents")
@pytest.mark.parametrize(("language", "starts"), [("bash", "for "), ("python", "import ")])
def test_a_program_of_the_page_prints_the_mean(
    language: str, starts: str, environment_with_harness: dict[str, str], tmp_path: Path
) -> None:
    (program,) = [text for _, text in Page.read(PAGE).fences(language) if text.startswith(starts)]
    call = ["sh", "-euc", program] if language == "bash" else [sys.executable, "-c", program]
    done = subprocess.run(
        call,
        cwd=tmp_path,
        env=environment_with_harness,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout[:3]) == (0, "1.0"), done.stderr
