"""The scripts, word for word, and what can't stand in one."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.errors import UsageError
from harness.run.slurm import script
from harness.run.slurm.script import Site
from harness.run.slurm.size import Job

JOB = Job(jobs=2, cpus=4, memory=20_000, minutes=180, warning=2100)
MakeSite = Callable[..., Site]


def test_the_array(site: MakeSite, snapshot: Any) -> None:
    here = site(
        {"POLICY_BASE_URL": "http://h/v1?it's"},
        partition="gpu",
        account="lab",
        slots=4,
        tmp="/scratch/$USER",
        sbatch=["--exclusive"],
        prologue=["module load tools"],
    )
    assert script.array(here, "harness-0-8", [0, 1, 2, 5, 7], JOB, ["slurm", "job", "babyvision"]) == snapshot


def test_the_last_job(site: MakeSite, snapshot: Any) -> None:
    assert script.last(site(), "harness-0-end", ["rescore", "/shared/R", "--json"]) == snapshot


def test_words_reach_the_command_as_they_are(site: MakeSite, tmp_path: Path) -> None:
    echo = tmp_path / "echo"
    shell = shutil.which("sh")
    assert shell is not None
    echo.write_text(f'#!{shell}\nprintf "%s|" "$@" "$ADDRESS"\n')
    echo.chmod(0o755)
    here = attrs.evolve(site({"ADDRESS": "a $(b) 'c'"}), harness=[str(echo)])
    text = script.body(here, ["--run=/a b", "$HOME", "`id`"])
    env = {"USER": "a", "HOME": "/home/a"}
    done = subprocess.run([shell, "-c", text], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "--run=/a b|$HOME|`id`|a $(b) 'c'|"


@pytest.mark.parametrize("folder", ["/home/a b", "/home/%j", "/home/a\n#SBATCH --export=ALL", '/home/"a"'])
def test_a_path_that_slurm_would_read_otherwise_is_refused(site: MakeSite, folder: str) -> None:
    with pytest.raises(UsageError, match="can't stand in a script"):
        script.last(attrs.evolve(site(), folder=Path(folder)), "n", ["rescore"])
