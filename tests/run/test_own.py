"""One's own benchmark in a run folder: graded again by its file, and by no other; played from its record."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.benchmarks.demo.conversation import Conversation
from harness.benchmarks.demo.policy import Reply
from harness.benchmarks.own.benchmark import OwnBenchmark, read
from harness.benchmarks.own.loading import load
from harness.errors import UsageError
from harness.run import own, scorers, tasks
from harness.run.rescoring.rescore import Rescoring, Wanted
from harness.run.settings.resolve import resolve
from harness.store.blobs import Blobs
from harness.store.digests import digest
from harness.store.leftovers import mentioned
from harness.store.runfolder import RunFolder
from harness.store.verify import check
from tests.report.runs import Made, folder

FILE = """
from harness.api import Benchmark, Task, boxed

def tasks():
    {tasks}

def grade(text, gold):
    {grade}

benchmark = Benchmark(name="numbers", tasks=tasks, instruction="Count.", grade=grade)
"""
TASKS = "return [Task(id=word, question=f'What is {word}?', gold=word) for word in ('one', 'two')]"
GRADE = "return float(boxed(text) == gold)"
NOTHING = resolve({}, {}, {})

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes the file; more of it than ``tasks`` and ``grade`` may be replaced."""

    def file(tasks: str = TASKS, grade: str = GRADE, name: str = "numbers.py", **replaced: str) -> Path:
        text = FILE.format(tasks=tasks, grade=grade)
        for old, new in replaced.items():
            assert old in text
            text = text.replace(old, new)
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return file


@pytest.fixture
def run(write: Write, tmp_path: Path) -> RunFolder:
    """A run of which both tasks were answered, and nothing is graded; its scorer is known."""
    path = write()
    loaded, images = load(path), Blobs(tmp_path / "images")
    played = OwnBenchmark.of(loaded, read(loaded, images), images, None)
    made = folder(tmp_path / "R", "numbers", played.task_set, {"tasks": list(played.ids), "repeats": 1})
    scorer = scorers.scorer_of(played, scorers.NO_JUDGE)
    scorers.keep(made, scorer, played.mode.own)
    for task, answer in (("one", "one"), ("two", "three")):
        Made(made, scorer).attempt(task, f"\\boxed{{{answer}}}")
    return made


def rescored(run: RunFolder, file: Path | None, **wanted: str) -> dict[str, object]:
    want = Wanted(benchmark=file, **wanted)  # type: ignore[arg-type]
    return Rescoring.of(run.layout.root, want, NOTHING).rescore(want, NOTHING, print)


async def test_the_first_error_of_a_scripted_model_is_told_to_who_waits_for_it() -> None:
    def answer(talk: Conversation) -> Reply:
        if talk.prompt == "fine":
            return Reply("so")
        raise UsageError(f"no {talk.prompt}")

    scripted = own.Scripted(answer)
    assert scripted(Conversation("fine", ".", "image", 0, (), ())).text == "so"
    for prompt in ("one", "two"):
        with pytest.raises(UsageError, match=f"no {prompt}"):
            scripted(Conversation(prompt, ".", "image", 0, (), ()))
    with pytest.raises(UsageError, match="no one"):
        await scripted.failing()


def test_its_rule_grades_again_to_the_same_bytes(run: RunFolder, write: Write) -> None:
    report = rescored(run, write())
    assert (report["reward"], report["judge_model"], report["written"]) == (0.5, "own rule", 2)
    summary = (run.layout.root / "summary.json").read_bytes()
    assert rescored(run, write())["written"] == 0
    assert (run.layout.root / "summary.json").read_bytes() == summary


def test_the_copy_of_the_file_belongs_to_the_run(run: RunFolder, write: Write) -> None:
    kept = run.blobs.path(digest(write().read_bytes()))
    assert (check(run).problems, [name for name in check(run).unnamed if name == kept.name]) == ((), [])
    assert kept.name in mentioned(run)
    kept.unlink()
    assert [problem for problem in check(run).problems if kept.name in problem] != []


def test_words_about_the_code_make_no_other_scorer_and_another_rule_does(run: RunFolder, write: Write) -> None:
    first = rescored(run, write())
    assert rescored(run, write(grade=f"# a comment\n    {GRADE}"))["scorer"] == first["scorer"]
    other = rescored(run, write(grade="return 1.0"))
    assert (other["reward"], other["scorer"] != first["scorer"]) == (1.0, True)
    assert other["moved"]["counts"] == {"0 (no verdict) -> 1 (no verdict)": 1}  # type: ignore[index]


def test_without_the_file_nothing_is_graded_and_its_copy_is_named(run: RunFolder, write: Write) -> None:
    with pytest.raises(UsageError, match=r"--benchmark FILE\. A copy of it was kept: (.*)\. It is code") as raised:
        rescored(run, None)
    copy = Path(str(raised.value).split("kept: ")[1].split(". It is")[0])
    assert copy.read_bytes() == write().read_bytes()
    assert rescored(run, copy)["reward"] == 0.5


def test_the_copy_grades_where_what_makes_its_tasks_is_gone(run: RunFolder, write: Write) -> None:
    assert rescored(run, write(tasks="raise FileNotFoundError"))["reward"] == 0.5


def test_a_judge_can_not_be_asked(run: RunFolder, write: Write) -> None:
    with pytest.raises(UsageError, match="graded as 'rule': no --judge live"):
        rescored(run, write(), judge="live")


def test_the_file_of_another_benchmark_is_refused(run: RunFolder, write: Write) -> None:
    with pytest.raises(UsageError, match="is the benchmark 'letters', and the run is of 'numbers'"):
        rescored(run, write(numbers="letters"))
    with pytest.raises(UsageError, match="has no rule, unlike the file that made the run"):
        rescored(run, write(**{", grade=grade": ""}))


def test_a_rule_that_fails_ends_it_and_writes_nothing(run: RunFolder, write: Write) -> None:
    with pytest.raises(UsageError, match=r"numbers.py, line 8, grading task 'one': ZeroDivisionError"):
        rescored(run, write(grade="1 / 0"))
    with pytest.raises(UsageError, match="the rule returned True"):
        rescored(run, write(grade="return True"))
    assert list(run.layout.scores.glob("*/*/*")) == []


def test_a_run_of_the_harness_s_own_needs_no_file(tmp_path: Path, write: Write) -> None:
    from tests.report.runs import made

    there = made(tmp_path / "B")
    with pytest.raises(UsageError, match="of babyvision, which needs no file"):
        own.graded(there.run, write())
    own.check_file(there.run, None)


def test_what_is_reproduced_needs_the_file(run: RunFolder, write: Write) -> None:
    with pytest.raises(UsageError, match="Name that file: --benchmark FILE"):
        own.check_file(run, None)
    own.check_file(run, write())


def test_a_record_has_its_tasks_and_its_instruction(run: RunFolder, write: Write, tmp_path: Path) -> None:
    gone = str(write(tasks="raise FileNotFoundError"))
    played = tasks.benchmark(gone, NOTHING, tmp_path / "scratch", run)
    assert (played.digest, played.instruction) == (run.manifest.tasks, "Count.")


def test_another_instruction_takes_the_place_of_its_own(write: Write, tmp_path: Path) -> None:
    words = tmp_path / "words"
    words.write_text("Guess.\n")
    played = tasks.benchmark(str(write()), resolve({"instruction": str(words)}, {}, {}), tmp_path / "scratch")
    assert played.prompt("one") == "Guess.\n\nWhat is one?"
