"""Asking the machine's Nix, which reaches no network for it."""

import shutil
import subprocess
from collections.abc import Sequence

from harness.errors import HarnessError, HostUnfitError

_FEATURES = ("--extra-experimental-features", "nix-command flakes", "--offline")
_LINES = 12  # of what Nix says last


def store(*arguments: str) -> str:
    """What ``nix-store`` prints; raises as `ask` does."""
    return ask(["nix-store", *arguments])


def command(*arguments: str) -> str:
    """What a command of ``nix`` prints; raises as `ask` does."""
    return ask(["nix", *_FEATURES, *arguments])


def ask(argv: Sequence[str]) -> str:
    """What a program of Nix prints.

    It is started from /: in a folder of the store, Nix takes every argument for a store path.

    Raises:
        HostUnfitError: it is not on PATH. HarnessError: it failed; the text has what it said.
    """
    if shutil.which(argv[0]) is None:
        raise HostUnfitError(f"{argv[0]} is not on PATH.", "As root: apt-get install --no-install-recommends nix-bin")
    done = subprocess.run(argv, cwd="/", capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        said = "\n".join(done.stderr.strip().splitlines()[-_LINES:])
        raise HarnessError(f"{argv[0]} failed with status {done.returncode}. It said:\n{said}")
    return done.stdout
