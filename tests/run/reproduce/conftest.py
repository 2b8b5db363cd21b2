"""A run that was never played, and another folder that is to be the same run again."""

import shutil
from pathlib import Path

import pytest

from harness.store.runfolder import RunFolder
from tests.synthetic import Shape, make


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a few rollouts. Not to be changed."""
    path = tmp_path_factory.mktemp("made") / "R"
    make(path, Shape(rollouts=6, tasks=3, calls=2))
    return path


@pytest.fixture
def there(made: Path, tmp_path: Path) -> RunFolder:
    """A copy of it."""
    return RunFolder.open(Path(shutil.copytree(made, tmp_path / "there")))


@pytest.fixture
def now(made: Path, tmp_path: Path) -> RunFolder:
    """Another one."""
    return RunFolder.open(Path(shutil.copytree(made, tmp_path / "now")))
