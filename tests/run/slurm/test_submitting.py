"""A submission: what is sent, what is left alone, and where keys may come from."""

from collections.abc import Callable, Mapping
from pathlib import Path

import attrs
import pytest

from harness.errors import HarnessError, UsageError
from harness.report.jobs import sent as lines
from harness.run.plan import plan
from harness.run.settings.resolve import Settings, arguments, resolve
from harness.run.slurm.client import Queued
from harness.run.slurm.knobs import Knobs
from harness.run.slurm.script import Site
from harness.run.slurm.submitting import check_keys, harness_command, items, job_name, prepare, site, submit
from tests.schemas import check

Make = Callable[..., Settings]
RUN = Path("/shared/R")
ITEMS = plan([str(number) for number in range(30)])


@pytest.fixture
def here() -> Site:
    return Site(
        knobs=Knobs(), harness=["h"], exports={}, slurm=None, folder=Path("/home/a"), logs=Path("/shared/R.slurm")
    )


def test_shards_that_have_a_job_are_not_sent_again(settings: Make, here: Site) -> None:
    name = job_name(RUN, 4)
    queue = [Queued("5_1", 1, name, "RUNNING", "n1"), Queued("5_3", 3, name, "PENDING", "")]
    queue += [Queued("6", None, job_name(RUN, "end"), "PENDING", ""), Queued("7_0", 0, "other-4", "RUNNING", "n2")]
    found = prepare(ITEMS, settings(), here, ["slurm", "job"], 4, queue)
    assert (found.queued, found.sent) == ((1, 3), (0, 2))
    assert "--array=0,2\n" in found.array


def test_both_jobs_are_sent_and_the_last_waits_for_the_array(
    settings: Make, here: Site, command: Callable[[str, str], dict[str, str]], tmp_path: Path
) -> None:
    env = command("sbatch", f'echo "$@" >> {tmp_path}/asked\nwc -l < {tmp_path}/asked')
    here = attrs.evolve(here, logs=tmp_path / "logs")
    sent = submit(prepare(ITEMS, settings(), here, ["slurm", "job"], 4, []), env)
    assert (sent.job, sent.last_job, check("slurm-submit", sent.to_json())["sent"]) == ("1", "2", [0, 1, 2, 3])
    array, last = (tmp_path / "asked").read_text().splitlines()
    assert Path(array.split()[-1]).read_text() == sent.submission.array
    assert "--dependency=afterany:1" in last.split()
    assert "2 sums up" in "".join(lines(sent))


def test_the_last_job_grades_by_the_file_of_ones_own_benchmark(settings: Make, here: Site) -> None:
    found = prepare(ITEMS, settings(), here, ["slurm", "job"], 4, [], Path("/shared/own.py"))
    assert f"h rescore {RUN} --benchmark=/shared/own.py --json" in found.last
    assert "--benchmark" not in prepare(ITEMS, settings(), here, ["slurm", "job"], 4, []).last


def test_nothing_is_sent_where_nothing_is_left(settings: Make, here: Site, tmp_path: Path) -> None:
    sent = submit(prepare([], settings(), here, ["slurm", "job"], 4, []), {"PATH": str(tmp_path)})
    assert (sent.job, sent.last_job) == (None, None)
    assert "nothing is left" in "".join(lines(sent))


def test_jobs_with_another_number_of_shards_are_refused(settings: Make, here: Site) -> None:
    queue = [Queued("5_1", 1, job_name(RUN, 8), "RUNNING", "n1")]
    with pytest.raises(UsageError, match="another number of shards"):
        prepare(ITEMS, settings(), here, ["slurm", "job"], 4, queue)


def test_jobs_of_another_run_are_none_of_ours(settings: Make, here: Site) -> None:
    queue = [Queued("5_1", 1, job_name(Path("/shared/R2"), 8), "RUNNING", "n1")]
    assert prepare(ITEMS, settings(), here, ["slurm", "job"], 4, queue).sent == (0, 1, 2, 3)


def test_the_rollouts_are_those_that_eval_would_plan(settings: Make) -> None:
    found = items("babyvision", settings(demo_puzzles="4", limit="3", repeats="2"))
    assert [(item.task, item.repeat) for item in found] == [("1", 0), ("2", 0), ("3", 0), ("1", 1), ("2", 1), ("3", 1)]


def test_flags_and_file_become_the_jobs_arguments() -> None:
    flags, file = (
        {"policy_model_name": "m", "demo": "true"},
        {"timeout": "60", "policy_model": "n", "require_limits": "true"},
    )
    words = arguments(flags, file, without=("jobs",))
    assert words == ["--timeout=60", "--policy-model=m", "++require_limits=true", "++demo=true"]


def test_the_environments_settings_stand_in_the_script_and_keys_do_not() -> None:
    env = {"POLICY_BASE_URL": "http://h/v1", "POLICY_API_KEY": "secret", "HARNESS_DATA_DIR": "/d", "PATH": ""}
    found = site(Knobs(), Path("/home/a"), env, resolve({"run": str(RUN)}, env, {}), RUN)
    assert found.exports["POLICY_BASE_URL"] == "http://h/v1"
    assert found.exports["HARNESS_DATA_DIR"] == "/d"
    assert "secret" not in str(found)
    assert found.logs == Path("/shared/R.slurm")


def test_data_are_looked_for_where_they_are_installed_now() -> None:
    env = {"XDG_DATA_HOME": "/data"}
    assert site(Knobs(), RUN, env, resolve({}, env, {})).exports["HARNESS_DATA_DIR"] == "/data/hermetic-harness"
    assert "HARNESS_DATA_DIR" not in site(Knobs(), RUN, env, resolve({"demo": "true"}, env, {})).exports


def test_the_sites_own_scratch_and_command_win() -> None:
    env = {"HARNESS_STATE_DIR": "/here"}
    assert harness_command(Knobs(harness="/shared/harness"), env) == (["/shared/harness"], env)
    assert harness_command(Knobs(harness="/h", tmp="/scratch"), env) == (["/h"], {})
    out_of_an_image = {**env, "HARNESS_NODE_IMAGE": "/shared/image"}
    assert harness_command(Knobs(), out_of_an_image) == (["/shared/image"], env)


@pytest.mark.parametrize(
    ("flags", "env", "named"),
    [
        ({}, {"POLICY_API_KEY": "k"}, "POLICY_API_KEY"),
        ({}, {"JUDGE_API_KEY": "k"}, "JUDGE_API_KEY"),
        ({"judge_base_url": "https://api.openai.com/v1"}, {"OPENAI_API_KEY": "k"}, "OPENAI_API_KEY"),
        ({"demo": "true", "policy_base_url": "http://h"}, {"POLICY_API_KEY": "k"}, "POLICY_API_KEY"),
    ],
)
def test_a_key_in_the_environment_is_refused(flags: Mapping[str, str], env: Mapping[str, str], named: str) -> None:
    with pytest.raises(UsageError, match=f"{named} is set") as raised:
        check_keys(resolve(flags, env, {}), env)
    assert "'k'" not in str(raised.value)


@pytest.mark.parametrize(
    ("flags", "env"),
    [
        ({}, {"OPENAI_API_KEY": "k", "JUDGE_BASE_URL": "http://h"}),
        ({"demo": "true"}, {"POLICY_API_KEY": "k", "JUDGE_API_KEY": "k"}),
        ({"policy": "replay:/r"}, {"POLICY_API_KEY": "k", "JUDGE_API_KEY": "k"}),
    ],
)
def test_a_key_that_nobody_asks_for_does_no_harm(flags: Mapping[str, str], env: Mapping[str, str]) -> None:
    check_keys(resolve(flags, env, {}), env)


def test_a_key_file_must_be_private(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("k")
    file.chmod(0o644)
    settings = resolve({"policy_api_key_file": str(file)}, {}, {})
    with pytest.raises(UsageError, match="can be read by others"):
        check_keys(settings, {"POLICY_API_KEY": "k"})
    file.chmod(0o600)
    check_keys(settings, {"POLICY_API_KEY": "k"})


def test_an_array_without_a_last_job_is_told(
    settings: Make, here: Site, command: Callable[[str, str], dict[str, str]], tmp_path: Path
) -> None:
    env = command("sbatch", 'case "$*" in *dependency*) echo "no more jobs" >&2; exit 1;; esac; echo 41')
    here = attrs.evolve(here, logs=tmp_path / "logs")
    with pytest.raises(HarnessError, match=r"as job 41, .* no more jobs .*harness rescore /shared/R"):
        submit(prepare(ITEMS, settings(), here, ["slurm", "job"], 4, []), env)


def test_a_name_that_is_no_utf_8_reaches_the_job_as_it_is(
    settings: Make, here: Site, command: Callable[[str, str], dict[str, str]], tmp_path: Path
) -> None:
    here = attrs.evolve(here, logs=tmp_path / "logs")
    sent = submit(
        prepare(ITEMS, settings(), here, ["--policy-model=m\udcff"], 4, []), command("sbatch", "cat >&2; echo 1")
    )
    assert b"'--policy-model=m\xff'" in (here.logs / f"{sent.submission.name}.array.sh").read_bytes()
    assert job_name(Path("/R\udcff"), 4) != job_name(Path("/R"), 4)


def test_jobs_are_found_again_by_any_path_to_the_run(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    names = {job_name(path, 4) for path in (tmp_path / "real/R", tmp_path / "link/R", tmp_path / "real/../link/R")}
    assert len(names) == 1
