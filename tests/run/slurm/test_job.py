"""What a task of the array does with its number, its size and its signals."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HostUnfitError, UsageError
from harness.run.settings.resolve import Settings
from harness.run.slurm import job

USR1, TERM = signal.SIGUSR1, signal.SIGTERM
Make = Callable[..., Settings]


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
    ("status", "signals", "again"),
    [
        (130, [USR1], True),
        (128 + USR1, [USR1], True),
        (0, [USR1], False),
        (3, [USR1], False),
        (130, [], False),
        (130, [TERM], False),
        (130, [USR1, TERM], False),
        (130, [USR1, signal.SIGINT], False),
    ],
)
def test_only_a_job_that_was_warned_and_not_ended_goes_back(status: int, signals: list[int], *, again: bool) -> None:
    assert job.to_requeue(status, signals) is again


@pytest.mark.parametrize(("number", "said"), [(USR1, "job 12 is queued again"), (TERM, "")])
def test_a_warned_job_asks_slurm(
    number: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    scontrol = tmp_path / "scontrol"
    scontrol.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\n')
    scontrol.chmod(0o755)

    def enter(argv: object, env: object) -> int:
        before = signal.signal(number, lambda *_: None)  # as the namespace's own outer process does
        signal.raise_signal(signal.Signals(number))
        signal.signal(number, before)
        return 130

    monkeypatch.setattr(job.namespace, "enter", enter)
    lines: list[str] = []
    assert job.run(["eval"], {"SLURM_JOB_ID": "12", "PATH": f"{tmp_path}:/usr/bin:/bin"}, lines.append) == 130
    assert (tmp_path / "asked").is_file() is bool(said)
    assert "".join(lines).endswith(said)
    if said:
        assert (tmp_path / "asked").read_text() == "requeue 12\n"


def test_a_site_that_forbids_it_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def enter(argv: object, env: object) -> int:
        before = signal.signal(USR1, lambda *_: None)
        signal.raise_signal(USR1)
        signal.signal(USR1, before)
        return 130

    monkeypatch.setattr(job.namespace, "enter", enter)
    lines: list[str] = []
    assert job.run(["eval"], {"PATH": str(tmp_path)}, lines.append) == 130
    assert "Call harness slurm submit again" in lines[0]
