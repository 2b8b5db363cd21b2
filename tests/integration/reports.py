"""Reports for tests that look at them: of a real run, of one as large as the benchmark, of one whose texts attack."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from harness.grading.score import Score
from tests import synthetic
from tests.gateway.bodies import body, opening, turn
from tests.integration.running import command
from tests.report.runs import made
from tests.report.talks import reply

TASKS: Final = ("1", "5", "8")  # of the demo: its policy solves the first, errs in the second, gives up on the third

# What would run or break out if any of it were read as HTML, as a script or as an address.
ATTACK: Final = (
    '</pre></script></title></style><img src=x onerror="window.owned=1"><script>window.owned=2</script>'
    '<!--<script><svg onload=window.owned=3><a href="javascript:window.owned=4">${window.owned=5}{{7*7}}\\u003cb>'
)
HIDDEN: Final = "\u202egnp.exe\u2066\x1b[31m"


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the real command line: three puzzles of the demo in real sandboxes."""
    run = tmp_path_factory.mktemp("report") / "demo"
    _harness("eval", "babyvision", "--demo", "--tasks", ",".join(TASKS), "--jobs", "2", "--run", run)
    return run


@pytest.fixture(scope="session")
def demo_report(demo_run: Path) -> str:
    """The address of the demo's report, one file."""
    _harness("report", demo_run)
    return (demo_run / "report.html").as_uri()


@pytest.fixture(scope="session")
def demo_folder(demo_run: Path) -> str:
    """The address of the demo's report as a folder of pages."""
    _harness("report", demo_run, "--assets", demo_run.parent / "pages")
    return (demo_run.parent / "pages/index.html").as_uri()


@pytest.fixture(scope="session")
def large_report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a report of 388 rollouts, a few of them masked."""
    run = tmp_path_factory.mktemp("report") / "large"
    with ThreadPoolExecutor(1) as thread:  # Playwright's event loop runs in this one
        thread.submit(synthetic.make, run, synthetic.Shape(rollouts=388)).result()
    _harness("report", run)
    return (run / "report.html").as_uri()


@pytest.fixture(scope="session")
def hostile_report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a report in which model, tool, judge and data set all wrote the attack."""
    folder = tmp_path_factory.mktemp("report") / "hostile"
    run = made(folder, {"1": ATTACK}, model=ATTACK, question=ATTACK + HIDDEN)
    text = ATTACK + HIDDEN
    call = ("call_1", "bash", json.dumps({"command": text, text: text}))
    asked = opening(text)
    exchanges = [
        (body(asked), reply(text, call, reasoning=text)),
        (body([*asked, *turn(text, [call], [text])]), reply(text)),
    ]
    run.attempt("1", exchanges=exchanges, prompt=text)
    run.score("1", Score(reward=0, extracted_answer=text, verdict="different", reason=text))
    _harness("report", run.path)
    return Path(run.path, "report.html").as_uri()


def _harness(*arguments: str | Path) -> None:
    done = subprocess.run(command(*arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
