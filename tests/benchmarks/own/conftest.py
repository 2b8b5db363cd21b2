"""Files of benchmarks, as their authors would write them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.benchmarks.own.benchmark import OwnBenchmark, read
from harness.benchmarks.own.loading import load
from harness.store.blobs import Blobs

HEAD = "from harness.api import Benchmark, Task\n"
RULED = """
def tasks():
    yield Task(id="one", question="What is 1?", gold="1", type="small")
    yield Task(id="two", question="What is 2?", gold="2", type="small", subtype="even")

def grade(text, gold):
    return float(text == gold)

benchmark = Benchmark(name="numbers", tasks=tasks, instruction="Count.", grade=grade)
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a benchmark's file; Benchmark and Task are imported in its first line."""

    def file(body: str) -> Path:
        path = tmp_path / "numbers.py"
        path.write_text(HEAD + body)
        return path

    return file


@pytest.fixture
def opened(write: Callable[[str], Path], tmp_path: Path) -> Callable[[str], OwnBenchmark]:
    """The benchmark of a file, as it is played."""

    def benchmark(body: str = RULED) -> OwnBenchmark:
        loaded, images = load(write(body)), Blobs(tmp_path / "images")
        return OwnBenchmark.of(loaded, read(loaded, images), images, None)

    return benchmark
