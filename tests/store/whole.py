"""A whole run as far as the store sees it, without sandboxes and models: every kind of file, resumable."""

from collections.abc import Callable
from pathlib import Path

from harness.grading.judge import Call
from harness.store import atomic
from harness.store.digests import Digest
from harness.store.grades import request_digest
from harness.store.manifest import Manifest
from harness.store.record import AttemptRecord
from harness.store.runfolder import RunFolder
from harness.store.score import JudgeRef, Score
from harness.store.sealed import seal
from tests.store.conftest import TASK_SET

Make = Callable[..., AttemptRecord]

SCORER = b"the rules of a scorer"
CALL = {**Call("{}", None, 1, 2).to_json(), "judging": 0}


def play(
    path: Path,
    manifest: Manifest,
    make_record: Make,
    tasks: int = 1,
    promise: Callable[[Path], None] = lambda _: None,
) -> RunFolder:
    """Do what is not done yet, as a resumed run would: so many tasks are played, judged, scored and summed up.

    ``promise`` is told of each file when the store says that it is kept.
    """
    run = RunFolder.create(path, manifest, TASK_SET)
    promise(run.layout.manifest)
    scorer = run.blobs.put(SCORER)
    promise(run.blobs.path(scorer))
    run.write_observed("node", 1, {"kind": "start", "scorer": scorer, "started_ns": "1"})
    for task in map(str, range(tasks)):
        _measure(run, make_record, task, promise)
        _grade(run, scorer, task, promise)
    run.grades.write_scores(scorer, [(task, 0, seal(Score(reward=0.0).to_json())) for task in map(str, range(tasks))])
    atomic.write(run.layout.root / "summary.json", seal({"content_digest": run.content_digest(), "scorer": scorer}))
    promise(run.layout.root / "summary.json")
    return run


def _measure(run: RunFolder, make_record: Make, task: str, promise: Callable[[Path], None]) -> None:
    if run.done(task, 0) is None:
        kept = run.attempts(task, 0)  # a killed process's, which was not published
        ref = kept[0] if kept else run.write_attempt(make_record(run.blobs, task=task, steps=1))
        promise(run.layout.attempt(task, 0, ref.name))
        assert run.publish_done(ref)
    promise(run.layout.done(task, 0))


def _grade(run: RunFolder, scorer: Digest, task: str, promise: Callable[[Path], None]) -> None:
    request = {"messages": [{"role": "system", "content": "You judge."}, {"role": "user", "content": task}]}
    if not run.grades.judge_calls(request):
        run.grades.write_judge(request, CALL)
    reference = JudgeRef(model="judge", request=request_digest(request), number=0)
    promise(run.layout.judge_call(request_digest(request), 0))
    run.grades.write_score(scorer, task, 0, Score(reward=1.0, judge=reference).to_json())
    promise(run.layout.score(scorer, task, 0))
