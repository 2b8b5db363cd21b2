"""Where things stand in a run folder, and how a task's id becomes a file name.

::

    RUN/
      manifest.json                        its SHA-256 is the run's identity
      attempts/TASK/REPEAT/NAME.json       every attempt, whole; NAME ends with the file's SHA-256
      done/TASK/REPEAT                     names the attempt that counts
      judge/REQUEST_SHA256/N.json          each call of the judge
      scores/SCORER/TASK/REPEAT.json
      observed/NAME.json                   what is true of a place and time
      blobs/sha256/HEX
      provenance.json                      the statement that came with an archive, as long as it is true
      summary.json  report.html  rollouts.parquet
"""

import datetime
import functools
import re
import secrets
from pathlib import Path
from urllib.parse import unquote_to_bytes

import attrs

from harness.errors import UsageError
from harness.store.digests import Digest

# All that stands at the top of a run folder; the last four are derived and can be made again.
NAMES = frozenset(
    {
        "manifest.json",
        "attempts",
        "done",
        "judge",
        "scores",
        "observed",
        "blobs",
        "provenance.json",
        "summary.json",
        "report.html",
        "rollouts.parquet",
    }
)

# The longest file name of Linux's filesystems (NAME_MAX, bytes), less room for an ending such as ".json".
NAME_MAX = 240


@functools.lru_cache(maxsize=10_000)
def encode_name(text: str) -> str:
    """A file name for any text: all but ASCII letters, digits and ``_-.`` is written ``%XX``; so is a leading dot.

    `decode_name` gives the text back. Raises UsageError for text that is no Unicode or gives too long a name.
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(f"The name {text!r} is no Unicode text. Rename it.") from error
    name = re.sub(rb"[^A-Za-z0-9_.-]|^\.", lambda match: b"%%%02X" % match[0][0], data).decode("ascii") or "%"
    if len(name) > NAME_MAX:
        raise UsageError(f"The name {text[:40]!r}... needs {len(name)} bytes as a file name; {NAME_MAX} are allowed.")
    return name


def decode_name(name: str) -> str:
    """The text that `encode_name` wrote; raises UsageError for any other name."""
    try:
        text = "" if name == "%" else unquote_to_bytes(name).decode("utf-8")
    except UnicodeError as error:
        raise UsageError(f"The file name {name!r} is not one that a run folder has.") from error
    if encode_name(text) != name:
        raise UsageError(f"The file name {name!r} is not one that a run folder has.")
    return text


def writer_name(host: str, pid: int, started_ns: int) -> str:
    """A name that no other writer on any node has.

    The process id alone would not do: in a PID namespace of its own, the harness has the same one in every run.
    """
    return f"{encode_name(host)[:64]}-{pid}-{started_ns}-{secrets.token_hex(4)}"


def default_run(benchmark: str, date: datetime.date, identity: Digest) -> Path:
    """The run folder where none is named: ``runs/BENCHMARK-DATE-ID8``."""
    return Path("runs") / f"{encode_name(benchmark)}-{date.isoformat()}-{identity[:8]}"


@attrs.frozen
class Layout:
    """The paths of one run folder."""

    root: Path

    @property
    def manifest(self) -> Path:
        """The manifest."""
        return self.root / "manifest.json"

    @property
    def provenance(self) -> Path:
        """The statement about what the run was when it was archived."""
        return self.root / "provenance.json"

    @property
    def blobs(self) -> Path:
        """The folder of blobs."""
        return self.root / "blobs" / "sha256"

    @property
    def attempts(self) -> Path:
        """The folder of all attempts."""
        return self.root / "attempts"

    @property
    def dones(self) -> Path:
        """The folder of what counts."""
        return self.root / "done"

    @property
    def judge(self) -> Path:
        """The folder of the judge's calls."""
        return self.root / "judge"

    @property
    def scores(self) -> Path:
        """The folder of the scorers."""
        return self.root / "scores"

    @property
    def observed(self) -> Path:
        """The folder of what is true of a place and time."""
        return self.root / "observed"

    def attempt(self, task: str, repeat: int, name: str) -> Path:
        """One attempt's record."""
        return self.root.joinpath("attempts", encode_name(task), str(repeat), f"{name}.json")

    def attempts_at(self, task: str, repeat: int) -> Path:
        """The folder of all attempts at one task and repeat."""
        return self.root.joinpath("attempts", encode_name(task), str(repeat))

    def done(self, task: str, repeat: int) -> Path:
        """The file that names the attempt that counts."""
        return self.root.joinpath("done", encode_name(task), str(repeat))

    def judge_calls(self, request: Digest) -> Path:
        """The folder of the judge's calls with one request."""
        return self.root.joinpath("judge", request)

    def judge_call(self, request: Digest, number: int) -> Path:
        """One call of the judge."""
        return self.root.joinpath("judge", request, f"{number}.json")

    def score(self, scorer: Digest, task: str, repeat: int) -> Path:
        """One rollout's score."""
        return self.root.joinpath("scores", scorer, encode_name(task), f"{repeat}.json")
