"""The reading process, and what is made for it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.store.archive.conftest import forged, no_disk, packed, stored
from tests.store.conftest import make_record, manifest, run

__all__ = ["forged", "make_record", "manifest", "no_disk", "packed", "run", "stored"]

ROOT = Path(__file__).parents[2]
#: kB. Show: the harness stays below 300 MB whatever it reads.
PEAK_MAX = 300_000
#: Seconds, on a busy machine: what is read without end is not read for long.
SECONDS_MAX = 60


class Reader:
    """Asks the process of `tests.hostile.reader`."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.reader", *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, site: str, path: Path) -> dict[str, Any]:
        """What came of it; the process must not have taken more memory or time than is allowed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"site": site, "path": os.fsencode(path).hex()}) + "\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert found["peak"] < PEAK_MAX
        assert found["seconds"] < SECONDS_MAX
        return found

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(60) == 0


@pytest.fixture(scope="session")
def read() -> Iterator[Reader]:
    reader = Reader()
    yield reader
    reader.end()


@pytest.fixture(scope="session")
def read_little() -> Iterator[Reader]:
    """The same where folders and tars are too large from a thousand entries on."""
    reader = Reader("small")
    yield reader
    reader.end()
