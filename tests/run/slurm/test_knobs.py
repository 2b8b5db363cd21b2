"""The table [slurm]: what it takes, and what it refuses by file and knob."""

from pathlib import Path

import pytest

from harness.errors import UnknownNameError, UsageError
from harness.run.settings.file import read_file
from harness.run.slurm.knobs import Knobs, minutes, read


def written(folder: Path, content: str) -> Path:
    path = folder / "site.toml"
    path.write_text(content)
    return path


def test_a_file_holds_knobs_beside_settings(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        jobs = 2
        [slurm]
        partition = "gpu"
        max_time = "2-00:00:00"
        tmp = "/scratch/${USER}/$SLURM_JOB_ID"
        sbatch = ["--exclusive", "--constraint=avx2"]
        prologue = ["module load tools", "ulimit -n 8192"]
        """,
    )
    knobs = read(path)
    assert (knobs.partition, knobs.max_time, knobs.tmp) == ("gpu", 2880, "/scratch/${USER}/$SLURM_JOB_ID")
    assert (knobs.sbatch, knobs.prologue[0]) == (("--exclusive", "--constraint=avx2"), "module load tools")
    assert read_file(path) == {"jobs": "2"}


def test_without_a_file_or_a_table_there_are_defaults(tmp_path: Path) -> None:
    assert read(None) == read(written(tmp_path, "jobs = 2")) == Knobs()


@pytest.mark.parametrize(
    ("line", "knob"),
    [
        ("partiton = 'a'", "slurm.partiton"),
        ("partition = 'a\\n#SBATCH --export=ALL'", "slurm.partition"),
        ("cpus = 0", "slurm.cpus"),
        ("cpus = '4'", "slurm.cpus"),
        ("max_time = 'soon'", "slurm.max_time"),
        ("max_time = true", "slurm.max_time"),
        ("tmp = '/tmp/$(reboot)'", "slurm.tmp"),
        ("tmp = 'scratch'", "slurm.tmp"),
        ("sbatch = ['--export=ALL']", "slurm.sbatch.0"),
        ("sbatch = ['--exclusive', '-p gpu']", "slurm.sbatch.1"),
        ("sbatch = ['--arr=0-5']", "slurm.sbatch.0"),
        ("sbatch = ['--quiet']", "slurm.sbatch.0"),
        ("harness = '~/harness'", "slurm.harness"),
        ("harness = 'a\\u0000b'", "slurm.harness"),
        ("prologue = ['a\\nb']", "slurm.prologue.0"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, line: str, knob: str) -> None:
    quoted = line.replace("'", '"')
    with pytest.raises(UsageError, match=knob.replace(".", r"\.")):
        read(written(tmp_path, f"[slurm]\n{quoted}\n"))


@pytest.mark.parametrize(
    ("text", "found"),
    [(90, 90), ("90", 90), ("90:30", 90), ("1:30:00", 90), ("2-12", 3600), ("1-06:30", 1830), ("1-06:30:00", 1830)],
)
def test_times_are_slurms(text: object, found: int) -> None:
    assert minutes(text) == found


def test_a_mistyped_knob_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'partition'"):
        read(written(tmp_path, "[slurm]\npartiton = 'a'"))
