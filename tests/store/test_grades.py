"""The judge's calls and the scores of a run folder."""

from typing import Any

import pytest

from harness.errors import StoreCorruptError
from harness.store.digests import digest
from harness.store.grades import request_digest
from harness.store.runfolder import RunFolder

REQUEST = {"model": "judge", "messages": [{"role": "user", "content": "equal? \ud800"}]}
SCORER = digest(b"scorer")


def test_calls_of_the_judge_are_kept_by_their_whole_request(run: RunFolder) -> None:
    calls: list[Any] = [{"body": "first \udfff"}, {"body": "second"}]
    assert [run.grades.write_judge(REQUEST, call) for call in calls] == [0, 1]
    assert run.grades.judge_calls(REQUEST) == [{**call, "request": REQUEST} for call in calls]
    assert run.grades.judge_calls({**REQUEST, "model": "other"}) == []
    assert (run.layout.judge / request_digest(REQUEST) / "1.json").is_file()


def test_calls_are_in_the_order_of_their_numbers(run: RunFolder) -> None:
    for number in range(12):
        run.grades.write_judge(REQUEST, {"number": number})
    assert [call["number"] for call in run.grades.judge_calls(REQUEST)] == list(range(12))


def test_a_call_that_another_writer_kept_meanwhile_is_never_overwritten(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.grades.write_judge(REQUEST, {"by": "other"})
    with monkeypatch.context() as patched:
        patched.setattr(type(run.grades), "_judge_numbers", lambda *_: [])  # a stale listing
        assert run.grades.write_judge(REQUEST, {"by": "us"}) == 1
    assert [call["by"] for call in run.grades.judge_calls(REQUEST)] == ["other", "us"]


def test_a_call_with_another_request_is_damage(run: RunFolder) -> None:
    run.grades.write_judge(REQUEST, {"body": "a"})
    path = run.layout.judge_call(request_digest(REQUEST), 0)
    path.write_bytes(path.read_bytes().replace(b"equal", b"other"))
    with pytest.raises(StoreCorruptError, match=r"0\.json is damaged: it holds another request"):
        run.grades.judge_calls(REQUEST)


def test_a_score_comes_back_and_can_be_written_again(run: RunFolder) -> None:
    assert run.grades.score(SCORER, "a/b", 0) is None
    run.grades.write_score(SCORER, "a/b", 0, {"reward": None})
    run.grades.write_score(SCORER, "a/b", 0, {"reward": 1, "reason": "\ud800"})
    run.grades.write_score(SCORER, "a/b", 10, {"reward": 0})
    run.grades.write_score(digest(b"other"), "a/b", 0, {"reward": 0})
    assert run.grades.score(SCORER, "a/b", 0) == {"reward": 1, "reason": "\ud800"}
    assert list(run.grades.scores(SCORER)) == [
        ("a/b", 0, {"reward": 1, "reason": "\ud800"}),
        ("a/b", 10, {"reward": 0}),
    ]


@pytest.mark.parametrize("data", [b"", b"[]", b'{ "reward": 1}'])
def test_a_damaged_score_is_named(run: RunFolder, data: bytes) -> None:
    run.grades.write_score(SCORER, "1", 0, {"reward": 1})
    run.layout.score(SCORER, "1", 0).write_bytes(data)
    with pytest.raises(StoreCorruptError, match=r"1/0\.json is damaged"):
        run.grades.score(SCORER, "1", 0)
