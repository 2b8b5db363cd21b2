"""Attempts that ended in all ways, done again from their record with nobody to ask: each ends as it did."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from harness.store.runfolder import RunFolder
from harness.store.verify import verify
from tests.gateway.scripted import breaks_off, chunk, fails, hangs, says
from tests.outcomes.playing import COMMAND, MASKED, Played, Row, environment, ids, play
from tests.outcomes.upstream import right, trickles, uses

pytestmark = pytest.mark.integration

OVERFLOW = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
CUT = breaks_off(chunk({"content": "It is"}))
ASIDE = """python3 - <<'END'
import json, urllib.request
body = json.dumps({"model": "vlm", "messages": [{"role": "user", "content": "Psst."}]}).encode()
url = "http://169.254.1.1:18080/v1/chat/completions"
request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
try:
    print(urllib.request.urlopen(request, timeout=20).status)
except OSError as error:
    print(error)
END"""

ROWS = [
    Row("right answer", [[uses("true")], [right("1")]], "answered", 1.0),
    Row("wrong answer", [[says("It is \\boxed{nothing}.")]], "answered", 0.0),
    Row("length", [[says("It is", finish="length")]], "output-cap", 0.0),
    Row("overflow later", [[uses("true")], [fails(400, OVERFLOW)]], "context-overflow", 0.0),
    Row("too large", [[uses("true")], [fails(413, "too large")]], "request-too-large", 0.0),
    Row("500 to this alone", [[uses("true")], [fails(500, "oops")]], "request-refused", 0.0),
    Row("cut, then good", [[uses("true")], [CUT, right("7")]], "answered", 1.0),
    Row("kills its agent", [[uses("kill -9 $PPID")]], "agent-died", 0.0),
    Row("asks by itself", [[uses(ASIDE)], [right("9")]], "answered", 1.0),
    Row("budget of calls", [[uses("true")]] * 9, "budget", 0.0),
    Row("talks on", [[uses("true")], [trickles]], "task-timeout", 0.0),
    Row("silent, but not for long", [[hangs()]], "task-timeout", 0.0),
    Row("works on", [[uses("sleep 300")]], "task-timeout", 0.0),
    Row("429 for ever", [[uses("true")], [fails(429, "slow down")]], "upstream-failed", MASKED),
]


@attrs.frozen
class Twice:
    """A run, and the same from its record."""

    live: Played
    again: RunFolder
    status: int
    summary: Mapping[str, Any]


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twice]:
    path = tmp_path_factory.mktemp("again") / "R"
    tries = ("--upstream-attempts", "3", "--upstream-backoff", "0.2", "--stall", "600", "--max-calls", "4")
    with play(ROWS, "--timeout", "45", *tries, jobs=4) as live:
        live.check_whole()
        yield _replayed(live, path)


def _replayed(live: Played, path: Path) -> Twice:
    words = ("eval", "babyvision", "--policy", f"replay:{live.run.layout.root}", "--run", path, "--jobs", "4", "--json")
    done = subprocess.run(
        [sys.executable, *COMMAND, *map(str, words)], env=environment(), capture_output=True, timeout=600, check=False
    )
    assert done.stdout.strip(), done.stderr.decode(errors="replace")
    return Twice(live, RunFolder.open(path), done.returncode, json.loads(done.stdout))


def test_it_is_the_same_run(twice: Twice) -> None:
    assert twice.again.manifest == twice.live.run.manifest
    assert twice.again.content_digest() == twice.live.run.content_digest()
    assert twice.status == 3
    assert twice.summary["reward"] == twice.live.summary["reward"]
    assert verify(twice.again) == []


@pytest.mark.parametrize("name", ids([row for row in ROWS if row.reward is not MASKED]))
def test_an_attempt_ends_as_it_did(twice: Twice, name: str) -> None:
    task = twice.live.task(name)
    there, now = twice.live.run.done(task, 0), twice.again.done(task, 0)
    assert there is not None
    assert now is not None
    first, second = twice.live.run.rollout(there).content, twice.again.rollout(now).content
    assert first == second


def test_what_was_masked_is_not_in_the_record(twice: Twice) -> None:
    assert twice.summary["masked_outcomes"] == {"not-recorded": 1}
    (reason,) = twice.summary["not_recorded"]
    assert "all its 1 attempts are masked" in reason
