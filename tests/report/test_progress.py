"""Showing how a run goes."""

import io
import os
import pty
import select
from typing import Any

import attrs
import pytest

from harness.report.progress import HEARTBEAT, REFRESH, PlainLines, following, shown, state
from harness.run.progress import Snapshot

SNAPSHOT = Snapshot(
    planned=388,
    measured=12,
    masked=1,
    judging=3,
    running=4,
    left=368,
    rate=5.25,
    eta=4251.4,
    stalls=("waiting for the policy endpoint for 130 s (2 of 4 sandboxes; last trouble: \x1b[2J)",),
)


def test_the_state_in_one_line() -> None:
    said = "12 of 388 done, 1 masked, 4 running, 3 with the judge, 368 left, 5.2 a minute, about 71 min to go"
    assert state(SNAPSHOT) == said


def test_what_there_is_none_of_is_not_said() -> None:
    nothing: Any = {"measured": 0, "masked": 0, "judging": 0, "running": 0, "left": 0, "rate": None, "eta": None}
    assert state(attrs.evolve(SNAPSHOT, **nothing)) == "0 of 388 done"


def test_what_is_counted_fast_is_shown_now_and_then() -> None:
    now = 0.0
    found: list[Snapshot] = []

    class Kept(PlainLines):
        def update(self, snapshot: Snapshot) -> None:
            found.append(snapshot)

    told = following(Kept(io.StringIO()), clock=lambda: now)
    for done in range(10):
        told(done, 3000)
        now += REFRESH / 4
    assert [state(one) for one in found] == ["4 of 3000 done, 2996 left", "8 of 3000 done, 2992 left"]


def test_a_log_has_each_line_and_the_state_only_after_a_silence() -> None:
    now = 0.0
    out = io.StringIO()
    plain = PlainLines(out, lambda: now)
    plain.line("task 1: answered\x1b[31m\n")
    now = HEARTBEAT - 1
    plain.update(SNAPSHOT)
    now = HEARTBEAT
    plain.update(SNAPSHOT)
    now = HEARTBEAT + 5
    plain.update(SNAPSHOT)
    lines = out.getvalue().splitlines()
    assert lines[0] == "task 1: answered\\x1b[31m\\x0a"
    assert lines[1:] == [f"{state(SNAPSHOT)}; {SNAPSHOT.stalls[0][:-5]}\\x1b[2J)"]


def test_a_log_that_nobody_reads_any_more_ends_nothing() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    stream = os.fdopen(writing, "w", buffering=1)
    PlainLines(stream).line("hello")
    with pytest.raises(BrokenPipeError):
        stream.close()


def test_what_is_no_terminal_gets_no_escape() -> None:
    out = io.StringIO()
    with shown(out) as show:
        show.line("hello")
        show.update(SNAPSHOT)
    assert out.getvalue() == "hello\n"


@pytest.mark.parametrize("columns", [24, 100])
def test_a_terminal_has_the_lines_above_and_the_state_below(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    text = drawn()
    assert "task 1: answered" in text
    assert "12 of 388 done" in text
    assert "\x1b[?25l" in text  # the cursor is hidden
    assert text.rindex("\x1b[?25h") > text.rindex("12 of 388 done")  # and comes back
    assert "\x1b[2J" not in text
    assert ("\\x1b[2J" in text) == (columns == 100)


def test_a_terminal_that_can_do_nothing_has_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in drawn()


def drawn() -> str:
    """What a pseudo-terminal gets of a line and a state."""
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as stream, shown(stream) as show:
        show.line("task 1: answered")
        show.update(SNAPSHOT)
    data = b""
    while select.select([master], [], [], 0.2)[0]:
        try:
            data += os.read(master, 65536)
        except OSError:
            break
    os.close(master)
    return data.decode()
