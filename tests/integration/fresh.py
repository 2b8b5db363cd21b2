"""A machine that has never seen this project, as far as a namespace can be one: an empty /nix, no network but loopback.

Its programs are the host's own: a shell, the coreutils, tar, Nix. It is root of a user namespace with all ids of the
user who tests, as in a rootless container.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs
import pytest

from harness.store.foreign import removing

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NAMESPACES = (
    "--user",
    "--map-root-user",
    "--map-auto",
    "--mount",
    "--net",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
)
# The pinned ip is in the store that is about to be hidden.
ENTER = '"$1" link set lo up; mount --bind "$2" /nix; shift 2; exec "$@"'


@attrs.frozen
class Ended:
    """What a command came to, and the seconds that it took."""

    status: int
    out: str
    err: str
    seconds: float


@attrs.frozen
class Fresh:
    """``folder`` holds the machine's /nix and a home; both stay from command to command."""

    folder: Path

    @property
    def nix(self) -> Path:
        return self.folder / "nix"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def command(self, *argv: str | Path) -> list[str]:
        """The command line that runs ``argv`` there."""
        ip = Path(os.environ["HARNESS_RUNTIME"]) / "bin/ip"
        return ["unshare", *NAMESPACES, "sh", "-euc", ENTER, "sh", str(ip), str(self.nix), *map(str, argv)]

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        return {"PATH": PATH, "HOME": str(self.home), "USER": "root", **env}

    def start(self, *argv: str | Path, **env: str) -> subprocess.Popen[bytes]:
        """Run a command there that the test ends itself, with all that it started, by a kill."""
        return subprocess.Popen(
            self.command(*argv),
            env=self.environment(env),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def run(self, *argv: str | Path, **env: str) -> Ended:
        """Run a command there to its end."""
        began = time.monotonic()
        done = subprocess.run(
            self.command(*argv),
            env=self.environment(env),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
        )
        return Ended(done.returncode, done.stdout, done.stderr, time.monotonic() - began)


def made(folder: Path) -> Iterator[Fresh]:
    """A machine in ``folder``, which is emptied at the end: it holds gigabytes."""
    nix = shutil.which("nix", path=PATH)
    if nix is None or Path(nix).resolve().is_relative_to("/nix"):
        pytest.skip("Nix itself is in the store, which is to be hidden")
    fresh = Fresh(folder)
    fresh.nix.mkdir(parents=True)
    fresh.home.mkdir()
    try:
        yield fresh
    finally:
        removing.remove(folder)
