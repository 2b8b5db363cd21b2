"""What is planted, in a folder whose path is short enough for a UNIX socket."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.sandbox.selftest.weakened import Planted


@pytest.fixture
def short() -> Iterator[Planted]:
    with tempfile.TemporaryDirectory(prefix="ht-") as folder:
        yield Planted(Path(folder) / "planted")
