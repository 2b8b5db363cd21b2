"""A recorded run in the place of endpoints: its attempts, its judge, and what is missing in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.errors import StoreCorruptError, UsageError
from harness.gateway import GatewaySettings, Recorded, Unrecorded
from harness.grading.judge import Call
from harness.grading.prompt import JudgeSettings
from harness.grading.scorer import Scorer
from harness.run import scorers
from harness.run.endpoints.connect import endpoints
from harness.run.endpoints.recorded import RecordedRun, opened, replayed
from harness.run.facts import Facts
from harness.run.settings.resolve import resolve
from harness.store.archive.archiving import archive
from harness.store.digests import digest
from harness.store.runfolder import RunFolder

SETTINGS = GatewaySettings()
REQUEST = {"model": "j", "messages": [{"role": "user", "content": "?"}]}
FOUND = {"format": 2, "body": "{}", "failure": None, "observed": {"started_ns": "1", "ended_ns": "2"}}
FAILED = {**FOUND, "body": None, "failure": "It failed."}


@pytest.fixture
def record(run: RunFolder) -> RecordedRun:
    return RecordedRun(Path("R"), run)


@pytest.fixture
def here(tmp_path: Path, run: RunFolder) -> RunFolder:
    """The run that is answered from the record."""
    return RunFolder.create(tmp_path / "here", run.manifest)


async def test_the_attempt_that_counts_answers(record: RecordedRun, keep: Callable[..., Facts]) -> None:
    keep("a", kind="upstream-failed", masked=True)
    keep("a", "x")
    async with record.source("a", 0, SETTINGS) as source:
        assert isinstance(source, Recorded)


async def test_what_does_not_count_answers_nothing_and_it_is_said_why(
    record: RecordedRun, keep: Callable[..., Facts]
) -> None:
    keep("a", kind="upstream-failed", masked=True)
    keep("a", kind="sandbox-failed", masked=True, started=11)
    for task, why in (("a", "all its 2 attempts are masked"), ("b", "it was not played")):
        async with record.source(task, 0, SETTINGS) as source:
            assert source == Unrecorded(f"The record has no attempt at task {task!r}, repeat 0, that counts: {why}.")


async def test_a_damaged_attempt_is_no_source(record: RecordedRun, keep: Callable[..., Facts]) -> None:
    keep("a", "x")
    (name,) = record.run.attempt_names("a", 0)
    path = record.run.layout.attempt("a", 0, name)
    path.write_bytes(path.read_bytes().replace(b'"x"', b'"y"'))
    with pytest.raises(StoreCorruptError):
        async with record.source("a", 0, SETTINGS):
            pass


def replies(run: RunFolder) -> list[Any]:
    return [
        {name: call[name] for name in call if name != "request"} for call in run.grades.judge_calls(REQUEST).values()
    ]


async def test_all_replies_that_count_come_along_in_their_order(record: RecordedRun, here: RunFolder) -> None:
    for call, judging in ((FAILED, 0), (FOUND, 0), (FAILED, 1)):
        record.run.grades.write_judge(REQUEST, {**call, "judging": judging})
    call = await record.judge(here).ask(REQUEST)
    here.grades.write_judge(REQUEST, {**call.to_json(), "judging": 0})
    assert replies(here) == [{**FAILED, "judging": 0}, {**FOUND, "judging": 0}]


async def test_the_replies_of_a_later_judging_become_the_runs_own(record: RecordedRun, here: RunFolder) -> None:
    record.run.grades.write_judge(REQUEST, {**FAILED, "judging": 0})
    record.run.grades.write_judge(REQUEST, {**FOUND, "judging": 1})
    scorers.keep(record.run, Scorer(judge=JudgeSettings(), mode="judged", prompt=digest(b""), code={}, judging=1))
    assert await record.judge(here).ask(REQUEST) == Call("{}", None, 1, 2)
    assert replies(here) == []


async def test_a_reply_that_is_not_there_is_a_failure(record: RecordedRun, here: RunFolder) -> None:
    call = await record.judge(here).ask(REQUEST)
    assert call.body is None
    assert call.failure is not None
    assert "The record holds no reply of the judge to this request" in call.failure


async def test_nobody_is_asked(record: RecordedRun) -> None:
    named = {"POLICY_BASE_URL": "http://127.0.0.1:1/v1", "JUDGE_BASE_URL": "http://127.0.0.1:1/v1"}
    settings = resolve({"policy": "replay:R", "context": "1000", "max_output": "10"}, named, {})
    settings = attrs.evolve(settings, values={**settings.values, "policy_model": "m"})
    async with endpoints(settings, record) as ends:
        assert (ends.policy.model, ends.policy.context, ends.judge) == ("m", 1000, None)
        assert ends.observed["replay"] == {"path": "R", "manifest": record.run.identity}
        assert [note.partition(":")[0] for note in ends.notes] == ["answers", "note", "note"]


async def test_a_judge_that_is_named_is_asked(record: RecordedRun) -> None:
    given = {"policy": "replay:R", "judge_base_url": "http://127.0.0.1:1/v1", "context": "1000", "max_output": "10"}
    settings = resolve({**given, "policy_model": "m"}, {}, {})
    async with endpoints(settings, record) as ends:
        assert ends.judge is not None


def test_the_record_is_a_folder_or_an_archive(run: RunFolder, tmp_path: Path, keep: Callable[..., Facts]) -> None:
    keep("a", "x")
    run.blobs.put(b"tasks")  # which the manifest names
    assert opened(run.layout.root, tmp_path / "scratch").layout == run.layout
    archive(run.layout.root, tmp_path / "run.oci")
    unpacked = opened(tmp_path / "run.oci", tmp_path / "scratch")
    assert unpacked.content_digest() == run.content_digest()
    assert unpacked.layout.root.is_relative_to(tmp_path / "scratch")


def test_anything_else_is_refused(tmp_path: Path) -> None:
    assert replayed(None, tmp_path) is None
    with pytest.raises(UsageError):
        opened(tmp_path, tmp_path / "scratch")
