"""Reading a benchmark's file: what goes wrong in it is told by its line."""

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.benchmarks.own.loading import LARGEST, is_file, load
from harness.errors import UsageError
from harness.store.foreign import plain
from tests.benchmarks.own.conftest import RULED

Write = Callable[[str], Path]


@pytest.mark.parametrize(
    ("name", "file"), [("sums.py", True), ("./sums", True), ("blobs/ab", True), ("babyvision", False)]
)
def test_which_names_are_files(name: str, file: bool) -> None:
    assert is_file(name) is file


def test_a_file_gives_its_benchmark_and_its_bytes(write: Write) -> None:
    path = write(RULED)
    loaded = load(path)
    assert (loaded.benchmark.name, loaded.own.path, loaded.own.source) == ("numbers", path, path.read_bytes())
    assert loaded.own.rule is loaded.benchmark.grade


def test_the_example_has_less_than_sixty_lines() -> None:
    path = Path(__file__).parents[3] / "examples" / "sums.py"
    assert load(path).benchmark.name == "sums"
    assert len(path.read_text().splitlines()) < 60


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x = (\n", r"numbers.py, line 2: SyntaxError: "),
        ("\n1 / 0\n", r"numbers.py, line 3: ZeroDivisionError: division by zero"),
        (
            "import nothing_of_this_name\n",
            r"line 2: ModuleNotFoundError: No module named 'nothing_of_this_name'\. The file can ",
        ),
        (
            "Benchmark(name='a', tasks=list, dmeo=1)\n",
            r"line 2: TypeError: Benchmark has no field 'dmeo'. Did you mean 'demo'",
        ),
        ("import json\njson.loads('{')\n", r"numbers.py, line 3: JSONDecodeError: "),
        ("Task(id='a', question='', gold='x')\n", r"line 2: ValueError: question is empty"),
        ("raise SystemExit\n", r"line 2: SystemExit: without a text"),
        ("class Odd(BaseException): pass\nraise Odd('so')\n", r"line 3: Odd: so"),
        ("class Odd(Exception):\n  def __str__(self): 1 / 0\nraise Odd\n", r"line 4: Odd: its text can't be made"),
        ("raise ValueError('x' * 1000)\n", r"line 2: ValueError: x{500}\.\.\.$"),
        ("tasks = []\n", r"numbers.py makes no `benchmark`"),
        ("benchmark = {}\n", r"numbers.py makes no `benchmark`"),
    ],
)
def test_what_goes_wrong_in_it(write: Write, body: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        load(write(body))


def test_what_is_no_file_of_code(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.py can't be read: No such file or directory\. As root .*: git add it"):
        load(tmp_path / "none.py")
    with pytest.raises(UsageError, match="can't be read: No such file"):
        load(tmp_path / "no folder" / "none.py")
    with pytest.raises(UsageError, match="can't be read: it is a folder"):
        load(tmp_path)
    large = tmp_path / "large.py"
    large.write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(UsageError, match="larger than 1 MiB"):
        load(large)


def test_a_file_with_nearly_this_name_is_named(write: Write) -> None:
    path = write(RULED)
    for name in ("number.py", "numbers"):
        with pytest.raises(UsageError, match=r"No such file or directory\. Did you mean 'numbers\.py'\?$"):
            load(path.with_name(name))


def test_a_file_that_another_user_may_not_read_is_told_as_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(plain, "read", refuse)
    with pytest.raises(UsageError, match=r"Permission denied\. Where the harness runs as another user"):
        load(tmp_path / "none.py")


def test_what_it_prints_is_no_output_of_ours(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    load(write(f"print('hello')\n{RULED}"))
    assert capsys.readouterr() == ("", "hello\n")
    print("still here")
    assert capsys.readouterr().out == "still here\n"


def test_nor_is_what_a_program_prints_that_it_calls(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    program = "subprocess.run([sys.executable, '-c', 'print(\"hello\")'])"
    load(write(f"import subprocess, sys\n{program}\nprint('there', file=sys.__stdout__)\n{RULED}"))
    assert capfd.readouterr() == ("", "hello\nthere\n")
    print("still here")
    assert capfd.readouterr().out == "still here\n"


def test_the_working_folder_stays_the_caller_s(write: Write) -> None:
    before = Path.cwd()
    load(write(f"import os\nos.chdir('/')\n{RULED}"))
    assert Path.cwd() == before


def test_a_dataclass_in_it_finds_its_module(write: Write) -> None:
    body = "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: 'int'\n"
    assert load(write(body + RULED)).benchmark.name == "numbers"
    assert "own_benchmark" in sys.modules
