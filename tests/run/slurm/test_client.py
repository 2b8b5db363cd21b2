"""Slurm's commands: what they are told, and what is made of what they say."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import HarnessError, HostUnfitError
from harness.run.slurm import client
from harness.run.slurm.client import Queued

Command = Callable[..., dict[str, str]]


def test_no_key_and_no_export_reach_a_command(command: Command) -> None:
    env = command("squeue", "export -p")
    env |= {"POLICY_API_KEY": "k", "OPENAI_API_KEY": "k", "SBATCH_EXPORT": "ALL", "SBATCH_ACCOUNT": "lab"}
    said = client.run(["squeue"], env)
    assert "SBATCH_ACCOUNT" in said
    assert not [name for name in ("POLICY_API_KEY", "OPENAI_API_KEY", "SBATCH_EXPORT") if name in said]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("12_3|harness-a-8|RUNNING|n1", Queued("12_3", 3, "harness-a-8", "RUNNING", "n1")),
        ("13|harness-a-end|PENDING|", Queued("13", None, "harness-a-end", "PENDING", "")),
        ("slurm_load_jobs error", None),
        ("12_3|a|b|RUNNING|n1", None),
    ],
)
def test_a_line_of_the_queue(line: str, found: Queued | None) -> None:
    assert client.parse(line) == found


def test_a_submission_gives_the_jobs_number(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.sh").touch()
    env = command("sbatch", f'echo "$@" > {tmp_path}/asked; echo "42;cluster"')
    assert client.submit(tmp_path / "a.sh", env, "--dependency=afterany:7") == "42"
    asked = (tmp_path / "asked").read_text()
    assert asked == f"--parsable --export=NONE --dependency=afterany:7 {tmp_path}/a.sh\n"


def test_what_slurm_says_of_a_failure_is_passed_on(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.sh").touch()
    env = command("sbatch", "echo 'Invalid job array specification' >&2; exit 1")
    with pytest.raises(HarnessError, match="Invalid job array specification"):
        client.submit(tmp_path / "a.sh", env)
    with pytest.raises(HarnessError, match="instead of a job's number"):
        client.submit(tmp_path / "a.sh", command("sbatch", "echo queued"))


def test_a_machine_without_slurm_is_unfit(tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path)}
    assert client.find(env) is None
    with pytest.raises(HostUnfitError, match="no sbatch on PATH"):
        client.folder(env)
    with pytest.raises(HostUnfitError, match="There is no squeue on PATH"):
        client.run(["squeue"], env)


def test_it_is_found_where_path_says(command: Command, tmp_path: Path) -> None:
    assert client.folder(command("sbatch", "")) == tmp_path / "bin"


def test_no_default_of_the_site_wins_over_the_scripts_own_lines(command: Command, tmp_path: Path) -> None:
    script = tmp_path / "a.sh"
    script.write_text(
        "#!/bin/bash\n#SBATCH --array=0-3\n#SBATCH --job-name=n\n#SBATCH --time=9\n#SBATCH --mem=9M\n"
        "#SBATCH --requeue\n#SBATCH --partition=cpu\nexec x\n#SBATCH --qos=no\n"
    )
    lost = ("ARRAY_INX", "JOB_NAME", "TIMELIMIT", "MEM_PER_CPU", "NO_REQUEUE", "PARTITION", "WAIT", "GET_USER_ENV")
    env = command("sbatch", f"export -p > {tmp_path}/asked; echo 42")
    env |= {f"SBATCH_{name}": "x" for name in (*lost, "ACCOUNT")}
    client.submit(script, env)
    asked = (tmp_path / "asked").read_text()
    assert "SBATCH_ACCOUNT" in asked
    assert not [name for name in lost if f"SBATCH_{name}" in asked]
