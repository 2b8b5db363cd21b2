"""The unprivileged account that builds and runs everything, and how root steps down to it."""

import os
import pwd
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

# What a command gets from the caller's environment; everything else stays behind. docs/endpoints.md has these names.
PASSED_ON = (
    "LANG", "TZ", "TERM", "COLUMNS", "NIX_REMOTE",
    "POLICY_BASE_URL", "POLICY_MODEL", "POLICY_API_KEY",
    "JUDGE_BASE_URL", "JUDGE_MODEL", "JUDGE_API_KEY", "OPENAI_API_KEY",
    "BABYVISION_ZIP", "BABYVISION_PARQUET", "SSL_CERT_FILE", "SSL_CERT_DIR",
)  # fmt: skip
PASSED_ON_PREFIX = "HARNESS_"


class HandoverError(Exception):
    """Something could not be handed over; the text says what, and what to do."""


@dataclass(frozen=True)
class Account:
    """A user of this machine."""

    name: str
    uid: int
    gid: int
    home: Path

    @classmethod
    def named(cls, name: str) -> "Account":
        entry = pwd.getpwnam(name)
        return cls(name, entry.pw_uid, entry.pw_gid, Path(entry.pw_dir))

    def environment(self, path: str, caller: Mapping[str, str]) -> dict[str, str]:
        """Return the whole environment of a command: who and where it is, and what the caller passes on."""
        passed = {k: v for k, v in caller.items() if k in PASSED_ON or k.startswith(PASSED_ON_PREFIX)}
        return {
            "LANG": "C.UTF-8",
            **passed,
            "HOME": str(self.home),
            "USER": self.name,
            "LOGNAME": self.name,
            "PATH": path,
        }


def run_as(account: Account, work: Callable[[], None]) -> None:
    """Run ``work`` in a child process as the account, so that whatever it writes or removes is the account's to write.

    Raises HandoverError with the child's own words when it fails.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _step_down(account)
            work()
            status = 0
        except Exception as error:  # noqa: BLE001  the parent raises it again
            os.write(writer, str(error).encode(errors="replace")[:4000])
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        words = pipe.read().decode()
    if os.waitpid(child, 0)[1] != 0:
        raise HandoverError(words or "a helper process was killed")


def _step_down(account: Account) -> None:
    if os.geteuid() != account.uid:
        os.initgroups(account.name, account.gid)
        os.setresgid(account.gid, account.gid, account.gid)
        os.setresuid(account.uid, account.uid, account.uid)
    os.umask(0o022)


def say(text: str) -> None:
    """Tell the person something. Standard output belongs to the command; a file's name may hold terminal commands."""
    shown = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
    print(f"setup: {shown}", file=sys.stderr, flush=True)
