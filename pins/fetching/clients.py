"""The machine's own package clients: how each is asked for exact versions.

They bring what the host's settings say about mirrors, proxies and certificates; the bytes are checked by us.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fetching.catalog import Pin
from fetching.problems import HostUnfitError

# Wheels for CPython 3.11 on glibc 2.36, whatever Python runs pip.
GLIBC_MINOR = 36
PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in range(GLIBC_MINOR, 4, -1)),
    "manylinux2014_x86_64",
    "manylinux2010_x86_64",
    "manylinux1_x86_64",
)
WHEEL_FLAGS = (
    "--only-binary=:all:",
    "--python-version=3.11",
    "--implementation=cp",
    *(f"--platform={platform}" for platform in PLATFORMS),
)
# As root apt would drop to its own user, who can't write into our folder.
APT_FLAGS = ("-qq", "-o", "APT::Sandbox::User=root")


@dataclass(frozen=True, slots=True)
class Client:
    """A package client: its possible command names, what to do if there is none, and what a failure may mean."""

    kind: str
    commands: tuple[str, ...]
    install: str
    hint: str
    # Settings of the host that would change which files are taken.
    environment: Mapping[str, str] = field(default_factory=dict)

    def command(self) -> str:
        """Path of the first of its commands that this machine has.

        Raises:
            HostUnfitError: it has none of them.
        """
        for name in self.commands:
            if path := shutil.which(name):
                return path
        raise HostUnfitError(
            f"There is no {' or '.join(self.commands)} on this machine to fetch {self.kind} pins. {self.install}; "
            "or run `pins/fetch --to DIR` on another machine and `pins/fetch --from DIR` here."
        )

    def arguments(self, pins: Sequence[Pin], folder: Path) -> list[str]:
        """The command line after the command's name that brings the pins into ``folder``, which is its current one."""
        if self.kind == "deb":
            return [*APT_FLAGS, "download", *(f"{pin.name}={pin.version}" for pin in pins)]
        if self.kind == "npm":
            return ["pack", "--loglevel=error", "--ignore-scripts", *(f"{pin.name}@{pin.version}" for pin in pins)]
        requirements = folder / "requirements.txt"
        requirements.write_text("".join(f"{pin.name}=={pin.version} --hash=sha256:{pin.sha256}\n" for pin in pins))
        flags = ("--quiet", "--no-deps", "--require-hashes", *WHEEL_FLAGS)
        return ["download", *flags, "--dest=.", f"--requirement={requirements}"]

    def download(self, pins: Sequence[Pin], folder: Path) -> str:
        """Ask for the pins, to stand in ``folder``; returns the client's complaint, "" if it had none."""
        command = [self.command(), *self.arguments(pins, folder)]
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            return ""
        said = (done.stderr or done.stdout).strip()
        return said or f"{command[0]} ended with status {done.returncode} and said nothing"


CLIENTS = {
    "deb": Client(
        "deb",
        ("apt-get",),
        "On Debian 12 apt-get is always there",
        "apt needs Debian bookworm main among its sources and fresh lists: run `apt-get update`.",
    ),
    "wheel": Client(
        "wheel",
        ("pip3", "pip"),
        "Install it by `apt-get install python3-pip`",
        "Is the package index reachable?",
        {
            "PIP_CONSTRAINT": os.devnull,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_INPUT": "1",
            "PIP_REQUIRE_VIRTUALENV": "0",
            "PIP_ROOT_USER_ACTION": "ignore",
        },
    ),
    "npm": Client(
        "npm",
        ("npm",),
        "Install it by `apt-get install --no-install-recommends npm`",
        "Is the npm registry reachable?",
        # npm's own pauses of 10 and 60 s would be waited out for every batch where there is no network.
        {
            "NPM_CONFIG_UPDATE_NOTIFIER": "false",
            "NPM_CONFIG_FETCH_RETRY_MINTIMEOUT": "1000",
            "NPM_CONFIG_FETCH_RETRY_MAXTIMEOUT": "5000",
        },
    ),
}
