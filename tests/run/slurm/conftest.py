"""Settings and a site as a submission has them."""

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
