"""The hand-over's modules are no package: they run under the host's Python before anything is installed."""

import os
import pwd
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SETUP = Path(__file__).parents[2] / "nix/setup"
sys.path.insert(0, str(SETUP / "handover"))

from account import Account  # noqa: E402


@pytest.fixture
def me(tmp_path: Path) -> Account:
    """Whoever runs the tests, with a home of the test's own."""
    home = tmp_path / "home"
    home.mkdir()
    try:
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        name = "nobody-known"
    return Account(name, os.getuid(), os.getgid(), home)


@pytest.fixture
def nobody() -> Iterator[Account]:
    """Another user, for tests that root runs, with a home that it can reach (pytest's own folders are closed to it)."""
    if os.getuid() != 0:
        pytest.skip("only root can act as another user; test_as_root runs this in a namespace")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        home = Path(folder) / "home"
        home.mkdir()
        os.chown(home, 1, 1)
        yield Account("daemon", 1, 1, home)


@pytest.fixture
def git() -> Callable[..., str]:
    """Run git in a folder, away from the person's own settings."""

    def run(folder: Path, *arguments: str) -> str:
        clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", "-C", str(folder), *arguments], env=clean, check=True, capture_output=True, text=True
        ).stdout

    return run


@pytest.fixture
def checkout(tmp_path: Path, git: Callable[..., str]) -> Path:
    """A checkout with a flake, a program and a link, all tracked."""
    folder = tmp_path / "a checkout"
    (folder / "bin").mkdir(parents=True)
    (folder / "flake.nix").write_text("{ outputs = { self }: { }; }\n")
    (folder / "bin/program").write_text("#!/bin/sh\n")
    (folder / "bin/program").chmod(0o755)
    (folder / "link").symlink_to("bin/program")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    return folder
