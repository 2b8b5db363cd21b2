"""The judge's calls and the scores of a run folder."""

from pathlib import Path
from typing import Any

import pytest

from harness.errors import CanonicalError, StoreCorruptError
from harness.store.digests import digest
from harness.store.grades import judge_blobs, read_judge_call, request_digest
from harness.store.runfolder import RunFolder
from harness.store.sealed import seal, unseal

SAID = "You compare answers. \ud800 "
REQUEST: dict[str, Any] = {
    "model": "judge",
    "messages": [{"role": "system", "content": SAID}, {"role": "user", "content": "equal? \ud800"}],
}
OTHER = {**REQUEST, "messages": [REQUEST["messages"][0], {"role": "user", "content": "other"}]}
SCORER = digest(b"scorer")


def test_calls_of_the_judge_are_kept_by_their_whole_request(run: RunFolder) -> None:
    calls: list[Any] = [{"body": "first \udfff"}, {"body": "second"}]
    assert [run.grades.write_judge(REQUEST, call) for call in calls] == [0, 1]
    assert run.grades.judge_calls(REQUEST) == {
        number: {**call, "request": REQUEST} for number, call in enumerate(calls)
    }
    assert run.grades.judge_calls({**REQUEST, "model": "other"}) == {}
    assert (run.layout.judge / request_digest(REQUEST) / "1.json").is_file()


def test_calls_are_in_the_order_of_their_numbers(run: RunFolder) -> None:
    for number in range(12):
        run.grades.write_judge(REQUEST, {"number": number})
    assert list(run.grades.judge_calls(REQUEST)) == list(range(12))
    assert [call["number"] for call in run.grades.judge_calls(REQUEST).values()] == list(range(12))


def test_a_call_that_another_writer_kept_meanwhile_is_never_overwritten(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.grades.write_judge(REQUEST, {"by": "other"})
    with monkeypatch.context() as patched:
        patched.setattr("harness.store.grades._numbers", lambda _: [])  # a stale listing
        assert run.grades.write_judge(REQUEST, {"by": "us"}) == 1
    assert [call["by"] for call in run.grades.judge_calls(REQUEST).values()] == ["other", "us"]


def kept(run: RunFolder, request: dict[str, Any] = REQUEST, number: int = 0) -> Path:
    run.grades.write_judge(request, {"body": "a"})
    return run.layout.judge_call(request_digest(request), number)


def test_what_all_requests_begin_with_is_kept_once_and_put_back(run: RunFolder) -> None:
    paths = [kept(run), kept(run, OTHER)]
    assert all(b"You compare answers" not in path.read_bytes() for path in paths)
    assert [len(judge_blobs(path)) for path in paths] == [1, 1]
    assert judge_blobs(paths[0]) == judge_blobs(paths[1])
    assert [run.blobs.get(blob) for blob in judge_blobs(paths[0])] == [b"You compare answers. \\ud800 "]
    assert [read_judge_call(path, run.blobs)["request"] for path in paths] == [REQUEST, OTHER]


def test_a_request_with_more_than_texts_is_not_kept(run: RunFolder) -> None:
    with pytest.raises(CanonicalError, match="texts only"):
        kept(run, {"messages": [{"role": "system", "content": {"blob": "x"}}]})
    assert not run.layout.judge.exists()


@pytest.mark.parametrize("changed", [b"equal", b'"body":"a"', b"_sha256"])
def test_a_changed_call_is_damage(run: RunFolder, changed: bytes) -> None:
    path = kept(run)
    path.write_bytes(path.read_bytes().replace(changed, changed[:-1] + b"_"))
    for read in (lambda: run.grades.judge_calls(REQUEST), lambda: read_judge_call(path, run.blobs)):
        with pytest.raises(StoreCorruptError, match=r"/0\.json is damaged: It"):
            read()


def test_a_call_with_another_request_is_damage_also_where_it_proves_its_bytes(run: RunFolder) -> None:
    path, other = kept(run), kept(run, OTHER)
    path.write_bytes(other.read_bytes())
    for read in (lambda: run.grades.judge_calls(REQUEST), lambda: read_judge_call(path, run.blobs)):
        with pytest.raises(StoreCorruptError, match=r"/0\.json is damaged: it holds another request"):
            read()


def test_a_text_that_stands_in_the_call_and_not_in_a_blob_is_damage(run: RunFolder) -> None:
    path = kept(run)
    path.write_bytes(seal({**unseal(path.read_bytes()), "request": REQUEST}))
    for read in (lambda: run.grades.judge_calls(REQUEST), lambda: read_judge_call(path, run.blobs)):
        with pytest.raises(StoreCorruptError, match=r"/0\.json is damaged: The text of a system message"):
            read()


def test_the_text_that_a_call_names_must_be_there(run: RunFolder) -> None:
    path = kept(run)
    (blob,) = judge_blobs(path)
    run.blobs.path(blob).unlink()
    with pytest.raises(StoreCorruptError, match=f"{blob} is missing"):
        read_judge_call(path, run.blobs)


def test_a_call_that_is_gone_is_damage_since_another_one_would_count(run: RunFolder) -> None:
    kept(run)
    kept(run, number=1)
    kept(run).unlink()
    with pytest.raises(StoreCorruptError, match=r"/0\.json is missing"):
        run.grades.judge_calls(REQUEST)


def test_many_scores_are_written_at_once_and_only_where_they_differ(run: RunFolder) -> None:
    scores = [("a/b", repeat, seal({"reward": repeat})) for repeat in range(3)]
    assert run.grades.write_scores(SCORER, scores) == 3
    first = run.layout.score(SCORER, "a/b", 0).stat()
    run.layout.score(SCORER, "a/b", 1).write_bytes(b"damaged")
    assert run.grades.write_scores(SCORER, scores) == 1
    assert run.layout.score(SCORER, "a/b", 0).stat() == first
    assert [score for _, _, score in run.grades.scores(SCORER)] == [{"reward": repeat} for repeat in range(3)]
    assert not list(run.layout.scores.rglob(".*"))


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
