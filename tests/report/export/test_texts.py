"""Whatever a model wrote: it is there, it breaks no reader, and it doesn't pile up in memory."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from harness.report.export import table
from harness.report.export.exporting import Wanted, export
from harness.report.export.lines import line
from harness.store.canonical import unescape_surrogates
from tests.gateway.bodies import turn
from tests.report.export.runs import Writer, answered, parquet_rows, request
from tests.report.talks import reply

TEXTS = ["\ud83d", "a\x00b", "\x1b[2J\u202e", "\\ud83d and \\\\udead", "é\ud800", "\ufffd", "[" * 10_000, "\u2028\r\n"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_comes_back_from_each_format(tmp_path: Path, text: str) -> None:
    made = Writer(tmp_path / "R", ("7",), 1)
    made.attempt("7", 0, answered(text))
    made.judged("7", 0, text, right=False)
    for form in ("gym", "jsonl", "parquet"):
        export(made.run.layout.root, Wanted(form=form))
    (chat,) = lines(tmp_path / "R_chats.jsonl")
    (gym,) = lines(tmp_path / "R.jsonl")
    (row,) = parquet_rows(tmp_path / "R" / "rollouts.parquet")
    found = [chat["messages"][-1]["content"], chat["answer"], row["answer"], row["extracted_answer"]]
    found += [gym["response"]["output"][0]["content"][0]["text"], gym["extracted_answer"]]
    assert {unescape_surrogates(said) for said in found} == {text}


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a file as a strict reader takes them: UTF-8, and no lone surrogate in any text."""
    found = [json.loads(said) for said in path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")]
    json.dumps(found, ensure_ascii=False).encode("utf-8")
    return found


def test_tool_arguments_and_names_are_texts_too(tmp_path: Path) -> None:
    made = Writer(tmp_path / "R", ("7",), 1)
    call = ("i\ud800d", "to\ud800ol", '{"a": "\\ud800"}')
    later = turn("", [("i\ud800d", "x", "{}")], ["out"])
    made.attempt("7", 0, [(request(), reply("", call)), (request(*later), reply("3"))])
    for form in ("gym", "jsonl", "parquet"):
        export(made.run.layout.root, Wanted(form=form))
    (chat,) = lines(tmp_path / "R_chats.jsonl")
    assert chat["tool_calls"] == {"to\\ud800ol": 1}
    assert chat["messages"][2]["tool_calls"][0]["id"] == "i\\ud800d"
    assert parquet_rows(tmp_path / "R" / "rollouts.parquet")[0]["tool_calls"] == [("to\\ud800ol", 1)]


def test_absurd_counts_are_none(tmp_path: Path) -> None:
    made = Writer(tmp_path / "R", ("7",), 1)
    made.attempt("7", 0, [(request(), reply("3", usage={"prompt_tokens": 10**30, "completion_tokens": 7}))])
    export(made.run.layout.root, Wanted(form="parquet"))
    (row,) = parquet_rows(tmp_path / "R" / "rollouts.parquet")
    assert (row["input_tokens"], row["output_tokens"]) == (None, 7)


def test_what_is_no_number_is_never_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        line({"reward": float("nan")})


FEW, MANY = 2, 8


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of few and of many rollouts of 1 MB each, named after their numbers."""
    folder = tmp_path_factory.mktemp("large")
    for count in (FEW, MANY):
        made = Writer(folder / f"{count}", ("7",), count)
        for repeat in range(count):
            made.attempt("7", repeat, answered("0123456789abcdef" * (1 << 16)))
            made.judged("7", repeat, "3", right=True)
    return folder


@pytest.mark.parametrize("form", ["gym", "jsonl", "parquet"])
def test_rollouts_do_not_come_together_in_memory(
    large: Path, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "_BYTES", 1 << 20)
    export(large / f"{FEW}", Wanted(form=form, out=tmp_path / "first.jsonl"))  # imports what it needs
    few, many = (peak(large / f"{count}", tmp_path / f"{count}.jsonl", form) for count in (FEW, MANY))
    assert many < few * 1.5


def peak(root: Path, out: Path, form: str) -> int:
    """The most memory that Python held in exporting a run, in bytes."""
    tracemalloc.start()
    try:
        export(root, Wanted(form=form, out=out))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_an_answer_of_20_megabytes(tmp_path: Path) -> None:
    made = Writer(tmp_path / "R", ("7",), 1)
    made.attempt("7", 0, answered("0123456789" * 2_000_000))
    made.judged("7", 0, "3", right=False)
    for form in ("gym", "jsonl", "parquet"):
        written: Any = export(made.run.layout.root, Wanted(form=form))
        assert written["files"][0]["rows"] == 1
