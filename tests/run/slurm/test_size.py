"""What a job asks for, and how many sandboxes what it got has room for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.run.settings.resolve import Settings
from harness.run.slurm.knobs import Knobs
from harness.run.slurm.size import OVERHEAD, fitting, given, job

Make = Callable[..., Settings]


def test_without_knobs_a_job_asks_for_what_its_sandboxes_may_use(settings: Make) -> None:
    found = job(settings(jobs="3", memory_mib="1000"), Knobs(), 1)
    assert (found.jobs, found.cpus, found.memory) == (3, 6, 3000 + OVERHEAD)


@pytest.mark.parametrize(("flags", "jobs"), [({}, 4), ({"jobs": "3"}, 3), ({"cpus": "1"}, 7)])
def test_a_jobs_size_says_how_many_sandboxes_it_holds(settings: Make, flags: dict[str, str], jobs: int) -> None:
    asked = settings(memory_mib="2000", **flags)
    assert job(asked, Knobs(cpus=8, memory_mib=15_000), 1).jobs == jobs


def test_the_time_is_that_of_all_rollouts_one_wave_after_the_other(settings: Make) -> None:
    asked = settings(jobs="2", timeout="1200", judge_timeout="60")
    each = 1200 + 120 + 60
    found = job(asked, Knobs(), 5)
    assert found.warning == each + 60
    assert found.minutes == -(-(3 * each + found.warning) // 60)


def test_the_sites_longest_time_bounds_it(settings: Make) -> None:
    assert job(settings(), Knobs(max_time=240), 1000).minutes == 240


def test_time_for_less_than_one_attempt_is_refused(settings: Make) -> None:
    with pytest.raises(UsageError, match="max_time is 60 minutes"):
        job(settings(), Knobs(max_time=60), 1)


def test_slurm_can_not_warn_a_day_before(settings: Make) -> None:
    with pytest.raises(UsageError, match="1092 minutes"):
        job(settings(timeout="70000"), Knobs(max_time=100_000), 1)


def test_memory_for_no_sandbox_is_refused(settings: Make) -> None:
    with pytest.raises(UsageError, match="no room for a sandbox of 8192 MiB"):
        job(settings(), Knobs(memory_mib=8192), 1)


def test_one_core_runs_one_sandbox_all_the_same(settings: Make) -> None:
    assert fitting(settings(), 1, 10_000) == 1
    assert fitting(settings(), 64, OVERHEAD + 8191) == 0


def test_what_slurm_gave_stands_in_the_environment(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:  8388608 kB\n")
    assert given({"SLURM_CPUS_PER_TASK": "4", "SLURM_MEM_PER_NODE": "9000"}, meminfo) == (4, 9000)
    assert given({"SLURM_CPUS_ON_NODE": "8", "SLURM_MEM_PER_CPU": "1000"}, meminfo) == (8, 8000)
    assert given({"SLURM_CPUS_ON_NODE": "8", "SLURM_MEM_PER_NODE": "0"}, meminfo) == (8, 8192)
