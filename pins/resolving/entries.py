"""One pin as it stands in the JSON files, and what all kinds share."""

import re
import subprocess
from collections.abc import Mapping
from typing import TypedDict
from urllib.parse import unquote

from fetching.problems import PinsError


class Entry(TypedDict, total=False):
    """A pin; ``arch`` only for Debian packages."""

    name: str
    version: str
    arch: str
    file: str
    store: str
    size: int
    sha256: str


Entries = dict[str, Entry]
Members = dict[str, list[str]]


def store_name(file: str) -> str:
    """The file's name with what Nix does not allow in the name of a store path put as a hyphen."""
    return re.sub(r"[^0-9a-zA-Z+\-._?=]", "-", unquote(file))


def ask(command: list[str], env: Mapping[str, str] | None = None) -> str:
    """Standard output of a client.

    Raises:
        PinsError: it is not installed or it failed.
    """
    try:
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise PinsError(f"There is no {command[0]} on this machine, which resolves pins.") from error
    if done.returncode:
        said = "\n".join(text.strip() for text in (done.stdout, done.stderr) if text.strip())
        raise PinsError(f"{command[0]} failed with status {done.returncode} and said:\n{said}")
    return done.stdout
