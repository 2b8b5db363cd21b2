"""What is planted, in a folder whose path is short enough for a UNIX socket."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.sandbox.selftest.weakened import Planted


@pytest.fixture
def _setuid(tmp_path: Path) -> None:
    """A Nix build may not make a file set-user-id."""
    path = tmp_path / "setuid"
    path.touch()
    try:
        path.chmod(0o4755)
    except PermissionError:
        pytest.skip("no file can be made set-user-id here")
    path.unlink()


@pytest.fixture
def short() -> Iterator[Planted]:
    with tempfile.TemporaryDirectory(prefix="ht-") as folder:
        yield Planted(Path(folder) / "planted")
