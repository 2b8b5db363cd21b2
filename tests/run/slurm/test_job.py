"""What a task of the array does with its number, its size and its signals."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import HostUnfitError, UsageError
from harness.run.settings.resolve import Settings
from harness.run.slurm import job

# As Slurm has it for the last task to begin: its own number is the array's.
ARRAY = {"SLURM_JOB_ID": "12", "SLURM_ARRAY_JOB_ID": "12", "SLURM_ARRAY_TASK_ID": "3"}
USR1, TERM = signal.SIGUSR1, signal.SIGTERM
Make = Callable[..., Settings]
Command = Callable[[str, str], dict[str, str]]


@pytest.mark.parametrize("number", ["", "8", "-1", "a"])
def test_outside_of_its_array_there_is_no_shard(number: str) -> None:
    with pytest.raises(UsageError, match="harness slurm submit"):
        job.shard({"SLURM_ARRAY_TASK_ID": number}, 8)


def test_the_number_of_the_task_is_the_shards() -> None:
    assert job.shard({"SLURM_ARRAY_TASK_ID": "7"}, 8) == 7


def test_sandboxes_at_a_time_are_what_the_job_got_and_what_was_asked(settings: Make) -> None:
    got = {"SLURM_CPUS_PER_TASK": "8", "SLURM_MEM_PER_NODE": "40000"}
    assert job.sandboxes(settings(), got) == 4
    assert job.sandboxes(settings(jobs="3"), got) == 3
    with pytest.raises(HostUnfitError, match="This job has 4000 MiB"):
        job.sandboxes(settings(), got | {"SLURM_MEM_PER_NODE": "4000"})


@pytest.mark.parametrize(
    ("status", "signals", "short"),
    [
        (130, [USR1], True),
        (0, [USR1], False),
        (3, [USR1], False),
        (130, [], False),
        (130, [TERM], False),
        (130, [USR1, TERM], False),
        (130, [USR1, signal.SIGINT], False),
    ],
)
def test_only_a_job_that_was_warned_and_not_ended_was_cut_short(
    status: int, signals: list[int], *, short: bool
) -> None:
    assert job.warned(status, signals) is short


@pytest.mark.parametrize(
    ("printed", "made"),
    [(b'{"new_attempts": 2}', 2), (b'{"new_attempts": "2"}', 0), (b"{}", 0), (b"", 0), (b"2", 0), (b"\xff", 0)],
)
def test_attempts_are_those_that_the_run_tells_of(printed: bytes, made: int) -> None:
    assert job.attempts(printed) == made


@pytest.fixture
def slurm(command: Command, tmp_path: Path) -> dict[str, str]:
    """The environment of a job, whose scontrol writes down what it is asked."""
    return ARRAY | command("scontrol", f'echo "$@" > {tmp_path}/asked')


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, str], None]:
    """Lets the run hear a signal, print something and end as one that was interrupted."""

    def make(number: int, printed: str) -> None:
        def enter(argv: object, env: object) -> int:
            before = signal.signal(number, lambda *_: None)  # as the namespace's own outer process does
            signal.raise_signal(signal.Signals(number))
            signal.signal(number, before)
            os.write(1, printed.encode())
            return 130

        monkeypatch.setattr(job.namespace, "enter", enter)

    return make


@pytest.mark.parametrize(
    ("number", "printed", "said", "asked"),
    [
        (USR1, '{"new_attempts": 1}', "job 12_3 is queued again", "requeue 12_3\n"),
        (USR1, "", "before an attempt had ended", None),
        (TERM, '{"new_attempts": 1}', "", None),
    ],
)
def test_a_warned_job_asks_slurm_where_it_got_on(
    number: int,
    printed: str,
    said: str,
    asked: str | None,
    slurm: dict[str, str],
    ends: Callable[[int, str], None],
    tmp_path: Path,
) -> None:
    ends(number, printed)
    lines: list[str] = []
    assert job.run(["eval"], slurm, lines.append) == 130
    assert len(lines) == bool(said)
    assert said in "".join(lines)
    assert ((tmp_path / "asked").read_text() if (tmp_path / "asked").is_file() else None) == asked


def test_a_site_that_forbids_it_is_explained(command: Command, ends: Callable[[int, str], None]) -> None:
    slurm = ARRAY | command("scontrol", "echo 'Requests of requeue are disabled' >&2; exit 1")
    ends(USR1, '{"new_attempts": 1}')
    lines: list[str] = []
    assert job.run(["eval"], slurm, lines.append) == 130
    assert "requeue are disabled" in lines[0]
    assert "Call harness slurm submit again" in lines[0]
