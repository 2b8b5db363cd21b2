"""What a shell is told at Tab, by click's own protocol; real shells are asked in tests/integration."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from harness.cli.main import cli
from harness.run.settings.table import BY_NAME

# Names that a shell would run, open or take for options or several words, or that move a terminal's cursor.
HOSTILE = ("$(id)", "`id`", "a b", "*", "~root", "--full", "a;id", "a|b", ">f", "{a,b}", "$HOME", "a\x1b[2J", "a\nb")


def _offered(*words: str) -> list[str]:
    *before, incomplete = words
    completing = ShellComplete(cli, {}, "harness", "_HARNESS_COMPLETE")
    return [
        item.value if item.type == "plain" else item.type for item in completing.get_completions(before, incomplete)
    ]


@pytest.fixture
def run_folder(tmp_path: Path) -> str:
    (tmp_path / "manifest.json").write_text(json.dumps({"plan": {"tasks": ["1", "12", *HOSTILE, "2"]}}))
    hostile = dict.fromkeys(HOSTILE, 1)
    summary = {"outcomes": {"answered": 1, "budget": 2, **hostile}, "flags": {"x": 1, **hostile}}
    (tmp_path / "summary.json").write_text(json.dumps(summary))
    return str(tmp_path)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("ver",), ["verify"]),
        (("slurm", ""), ["preflight", "status", "submit"]),
        (("eval", "babyvision-"), ["babyvision-question-only"]),
        (("eval", "exam"), ["file"]),
        (("eval", "babyvision", "--policy-m"), ["--policy-model"]),
        (("eval", "babyvision", "++judge_max_tokens_"), ["++judge_max_tokens_field="]),
        (("eval", "babyvision", "--instruction", ""), ["file"]),
        (("config", "--section", "sa"), ["sampling", "sandbox"]),
        (("export", "R", "--format", ""), ["gym", "parquet", "jsonl"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("schema", "slurm-s"), ["slurm-status", "slurm-submit"]),
        (("verify", ""), ["dir"]),
        (("show", "/no/such/run", ""), []),
    ],
)
def test_names_are_offered(words: tuple[str, ...], offered: list[str]) -> None:
    assert _offered(*words) == offered


def test_each_setting_can_be_completed_as_a_pair() -> None:
    assert _offered("eval", "babyvision", "++") == [f"++{name}=" for name in BY_NAME]


def test_a_runs_tasks_outcomes_and_flags_are_offered(run_folder: str) -> None:
    assert _offered("show", run_folder, "") == ["1", "12", "2"]
    assert _offered("show", run_folder, "--outcome", "b") == ["budget"]
    assert _offered("show", run_folder, "--outcome", "") == ["answered", "budget"]
    assert _offered("show", run_folder, "--flag", "") == ["x"]


@pytest.mark.parametrize("text", ["[", "null", '{"plan": 3}', '{"plan": {"tasks": 3}}', "[" * 100_000])
def test_a_damaged_run_offers_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    assert _offered("show", str(tmp_path), "") == []


def test_at_tab_nothing_heavy_is_imported() -> None:
    heavy = {"numpy", "cv2", "openai", "pyarrow", "pydantic", "aiohttp", "rich"}
    code = (
        "import sys; from click.shell_completion import ShellComplete; from harness.cli.main import cli\n"
        "for words in ([], ['eval'], ['eval', 'babyvision'], ['show', 'R'], ['schema']):\n"
        "    ShellComplete(cli, {}, 'harness', '_HARNESS_COMPLETE').get_completions(words, '')\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not heavy & {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize(("shell", "word"), [("bash", "COMPREPLY"), ("zsh", "#compdef harness"), ("fish", "complete ")])
def test_a_script_is_printed_for_each_shell(shell: str, word: str) -> None:
    command = [sys.executable, "-I", "-m", "harness.cli", "completion", shell]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert word in done.stdout
    assert f"_HARNESS_COMPLETE={shell}_complete" in done.stdout
