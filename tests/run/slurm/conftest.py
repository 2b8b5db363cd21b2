"""Settings and a site as a submission has them, and stand-ins for Slurm's commands."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.run.settings.resolve import Settings, resolve
from harness.run.slurm.knobs import Knobs
from harness.run.slurm.script import Site


@pytest.fixture
def settings() -> Callable[..., Settings]:
    """The settings that these flags come to."""
    return lambda **flags: resolve({"demo": "true", "run": "/shared/R", **flags}, {}, {})


@pytest.fixture
def site() -> Callable[..., Site]:
    """A site with these knobs."""

    def make(exports: dict[str, str] | None = None, **knobs: object) -> Site:
        return Site(
            knobs=Knobs.model_validate(knobs),
            harness=["/opt/harness"],
            exports=exports or {},
            slurm=Path("/opt/slurm/bin"),
            folder=Path("/home/a"),
            logs=Path("/shared/R.slurm"),
        )

    return make


@pytest.fixture
def command(tmp_path: Path) -> Callable[[str, str], dict[str, str]]:
    """Puts a shell script in the place of one of Slurm's commands; gives the environment in which it is found."""

    def make(name: str, text: str) -> dict[str, str]:
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!{shutil.which('sh')}\n{text}\n")
        path.chmod(0o755)
        return {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}

    return make
