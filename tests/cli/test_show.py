"""``harness show`` over run folders that the store's own writers made, with texts that nobody should have to expect."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
from PIL import Image

from harness.cli.main import run
from harness.report.show_text import CUT
from harness.store.egress import Egress
from tests.gateway.bodies import PNG, attached, body, opening, turn
from tests.report.runs import Made, made, scored
from tests.report.talks import reply
from tests.schemas import check, schema_of

CALL = ("call_1", "bash", '{"command": "ls\\npwd", "timeout": 5}')


def picture(colour: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (30, 20), colour).save(out, "PNG")
    return out.getvalue()


RED = picture("red")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)


@pytest.fixture
def a(tmp_path: Path) -> Made:
    return made(tmp_path / "A")


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """What is printed: an object with --json, else text."""

    def shown(*argv: str) -> Any:
        assert run(["show", *argv]) == 0
        out = capsys.readouterr().out
        if "--json" not in argv:
            return out
        found = json.loads(out)
        return check(schema_of(["show", *argv], found), found)

    return shown


def talk(result: str = "image.png\n", final: str = "It is\n\\boxed{7}") -> list[tuple[bytes, bytes]]:
    """Two calls: a tool, an image that it returned, an answer."""
    later = [*opening(), *turn("I look.", [CALL], [result]), attached(RED)]
    first = reply("I look.", CALL, reasoning="Hm.", usage={"prompt_tokens": 1000, "completion_tokens": 20})
    return [(body(opening()), first), (body(later), reply(final))]


def line_of(text: str, name: str) -> str:
    (line,) = (line for line in text.splitlines() if line.startswith(name))
    return line.removeprefix(name).strip()


def test_the_list_has_a_line_for_each_rollout(a: Made, show: Callable[..., Any]) -> None:
    a.attempt("1", kind="upstream-failed", chain=())
    a.answered("1", "\x1b]0;7\x07", 1.0)
    a.unanswered("2", "task-timeout")
    lines = show(a.path).splitlines()
    assert " ".join(lines[0].split()) == "task repeat outcome reward verdict extracted gold tries time flags"
    assert lines[1].split()[:8] == ["1", "0", "answered", "1", "equivalent", "\\x1b]0;7\\x07", "7", "2"]
    assert lines[2].split()[:6] == ["2", "0", "task-timeout", "0", "B", "1"]
    assert lines[3].split()[:5] == ["3", "0", "unfinished", "-", "(2,3)"]
    assert lines[4].startswith("3 of 3 rollouts")


@pytest.mark.parametrize(
    ("options", "tasks"),
    [
        ([], ["1", "2", "3"]),
        (["--wrong"], ["2", "3"]),
        (["--outcome", "task-timeout"], ["3"]),
        (["--outcome", "task-timeout", "--outcome", "answered"], ["1", "2", "3"]),
        (["--outcome", "answered", "--wrong"], ["2"]),
        (["--masked"], []),
        (["--flag", "system-prompt-differs", "--wrong"], ["2"]),
    ],
)
def test_what_the_list_is_narrowed_to(
    a: Made, show: Callable[..., Any], options: Sequence[str], tasks: Sequence[str]
) -> None:
    a.answered("1", "7", 1.0)
    a.answered("2", "A", 0.0)
    a.unanswered("3", "task-timeout")
    found = show(a.path, *options, "--json")
    assert ([one["task"] for one in found["rollouts"]], found["planned"]) == (tasks, 3)


def test_a_list_of_none_is_one_line(a: Made, show: Callable[..., Any]) -> None:
    a.answered("1", "7", 1.0)
    assert show(a.path, "--wrong") == f"0 of 3 rollouts of {a.path}\n"


def test_a_masked_rollout_is_listed_with_its_last_attempts_outcome(a: Made, show: Callable[..., Any]) -> None:
    a.answered("1", "7", None)
    a.attempt("2", kind="upstream-failed", chain=())
    found = show(a.path, "--masked", "--json")["rollouts"]
    assert [one["outcome"] for one in found] == ["judge_failed", "upstream-failed", "unfinished"]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--outcome", "answerd"], "Did you mean 'answered'"),
        (["--flag", "x"], "There is no flag 'x' in this run. Known: "),
        (["--full"], "--full needs a TASK"),
        (["--images", "x"], "--images needs a TASK"),
        (["1", "--wrong"], "--wrong is for the list"),
        (["4"], "no task '4' in this run. Known: 1, 2, 3."),
        (["1", "--repeat", "2"], "repeats 0 to 0"),
        (["1", "--attempt", "zz"], "0 attempts are called 'zz'"),
        (["2"], "never played"),
        (["--scorer", "zz"], "no scorer"),
    ],
)
def test_what_is_not_there_is_said(a: Made, capsys: pytest.CaptureFixture[str], argv: Sequence[str], said: str) -> None:
    a.answered("1", "7", 1.0)
    assert run(["show", a.path, *argv]) == 2
    assert said in capsys.readouterr().err


def test_a_talk_is_shown_in_its_order_and_then_what_came_of_it(a: Made, show: Callable[..., Any]) -> None:
    a.attempt("1", exchanges=talk())
    a.score("1", scored("7", 1.0))
    text = show(a.path, "1")
    parts = [
        "task 1, repeat 0, attempt 1 of 1, the one that counts",
        "-- system",
        "-- user",
        "Which one is the odd one out?",
        "-- assistant, call 0: 1.0 s, tool_calls, 1,000 tokens in, 20 tokens out",
        "   (thinking)\n      Hm.\n   I look.\n   -> bash\n      command:\n         ls\n         pwd\n      timeout: 5",
        "-- tool bash\n   image.png\n",
        "image/png, 30x20,",
        "-- assistant, call 1: 1.0 s, stop\n   It is\n   \\boxed{7}",
        "== result\nanswer\n   It is\n   \\boxed{7}\nextracted  7\ngold       7\nverdict    equivalent: They agree.",
        "reward     1",
        "outcome    answered",
        "time       5 s, 2 s of it waiting for the policy endpoint",
        "tokens     prompt 1,000, completion 20",
        "calls      2 on the chain",
    ]
    places = [text.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)


def test_a_silent_turn_says_that_it_is(a: Made, show: Callable[..., Any]) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 1}
    a.attempt("1", kind="no-answer", exchanges=[(body(opening()), reply(" \n", reasoning="Hm.", usage=usage))])
    text = show(a.path, "1")
    assert "call 0: 1.0 s, stop, 1,000 tokens in, 1 token out\n   (thinking)\n      Hm.\n   (no text)\n\n==" in text


def test_the_object_holds_the_whole_talk(a: Made, show: Callable[..., Any]) -> None:
    a.attempt("1", exchanges=talk("long " * 10_000))
    a.score("1", scored("7", 1.0))
    found = show(a.path, "1", "--json")
    assert [one["role"] for one in found["turns"]] == ["system", "user", "assistant", "tool", "user", "assistant"]
    assert found["turns"][3]["parts"] == [{"text": "long " * 10_000}]
    assert found["turns"][2]["tool_calls"] == [dict(zip(("id", "name", "arguments"), CALL, strict=True))]
    assert found["turns"][4]["parts"][1]["image"]["width"] == 30
    assert (found["reward"], found["verdict"], found["gold"], found["question"]) == (
        1.0,
        "equivalent",
        "7",
        "What is 1?",
    )
    assert found["tokens"] == {"prompt": 1000, "completion": 20, "reasoning": None, "cached": None}
    assert "calls_off_chain" not in found


def test_every_attempt_is_named_and_can_be_shown(a: Made, show: Callable[..., Any]) -> None:
    a.attempt("1", kind="upstream-failed", chain=(), start=1)
    a.attempt("1", "\\boxed{7}")
    a.score("1", scored("7", 1.0))
    found = show(a.path, "1", "--json")
    assert [(one["number"], one["outcome"], one["masked"], one["counts"]) for one in found["attempts"]] == [
        (1, "upstream-failed", True, False),
        (2, "answered", False, True),
    ]
    first = found["attempts"][0]["name"]
    assert found["attempt"] == found["attempts"][1]["name"]
    for wanted in ("1", first, first[:-60]):
        other = show(a.path, "1", "--attempt", wanted, "--json")
        assert (other["attempt"], other["counts"], other["reward"], other["verdict"]) == (first, False, None, None)
    text = show(a.path, "1", "--attempt", "1")
    assert "attempt 1 of 2\n" in text
    assert "reward     none: masked or not graded" in text
    assert f"2 answered (counts), 3 s, 2026-09-21T14:13:20+00:00, {found['attempt']}" in text


def test_where_nothing_counts_the_last_attempt_is_shown(a: Made, show: Callable[..., Any]) -> None:
    a.attempt("1", kind="sandbox-failed", chain=(), start=1)
    a.attempt("1", kind="upstream-failed", chain=(), start=2)
    assert line_of(show(a.path, "1"), "outcome") == "upstream-failed (masked)"


def test_calls_beside_the_chain_are_counted_and_shown_when_asked_for(a: Made, show: Callable[..., Any]) -> None:
    first, last = talk()
    shells = (body([{"role": "user", "content": "Tell me. \x1b[2J"}]), b"\xff\x00 no JSON \x1b[2J")
    a.attempt("1", exchanges=[first, shells, last], chain=(0, 2))
    text = show(a.path, "1")
    assert "Tell me." not in text
    assert line_of(text, "calls").startswith("2 on the chain, 1 off it (--all-calls shows them)")
    every = show(a.path, "1", "--all-calls")
    assert "-- off the chain, call 1: HTTP 200" in every
    assert "Tell me. \\u001b[2J" in every  # as JSON has it
    assert "\\xff\\x00 no JSON \\x1b[2J" in every
    assert show(a.path, "1", "--all-calls", "--json")["calls_off_chain"][0]["call"] == 1


def test_what_was_observed_is_shown(a: Made, show: Callable[..., Any]) -> None:
    ref = a.attempt("1", kind="sandbox-failed", chain=())
    record = a.run.read_attempt("1", 0, ref.name)
    to = ({"address": "192.0.2.7", "protocol": "tcp", "port": 443, "packets": 3},)
    egress = Egress(ruleset_sha256=record.content.prompt, allowed=40, denied=3, destinations=to, truncated=True)
    refusal = {"method": "GET", "path": "/v1/files", "reason": "not allowed"}
    observed = attrs.evolve(
        record.observed,
        egress=egress,
        limits={"memory": "cgroup", "pids": "ulimit"},
        full=("/tmp",),
        dead=("init", "ids"),
        peak_rss=3 << 20,
        refusals=(refusal,),
        how="exited",
        exit_code=1,
        host="node7",
        reason="It broke.",
        started_ns=record.observed.started_ns + 1,
    )
    a.run.write_attempt(attrs.evolve(record, observed=observed))
    text = show(a.path, "1")
    assert "\n\n== network\nNO PROOF   it has no counters by protocol" in text
    assert line_of(text, "gateway") == "40 packets to it: 1 call, 1 refused"
    assert "refused    3 packets\ntried      192.0.2.7 tcp port 443, packets: 3\ntruncated  some packets went" in text
    assert line_of(text, "limits") == "memory by cgroup, pids by ulimit"
    assert (line_of(text, "full"), line_of(text, "memory")) == (
        "/tmp",
        "3 MiB at the most, shared pages counted for each process",
    )
    assert "\nrefused    GET /v1/files: not allowed\n" in text
    assert line_of(text, "ended") == (
        "no process of the sandbox was left when its files were read: "
        "its first process had ended, no process had its user ids"
    )
    assert line_of(text, "agent") == "exited with status 1, host node7"
    assert line_of(text, "outcome") == "sandbox-failed (masked): It broke."


def test_images_are_written_once_each_and_nothing_is_overwritten(
    a: Made, show: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a.attempt("1", exchanges=talk())
    folder = tmp_path / "images"
    show(a.path, "1", "--images", str(folder))
    written = sorted(folder.iterdir())
    assert [path.name[:6] for path in written] == ["1-0-1-", "1-0-2-"]
    assert [path.read_bytes() for path in written] == [PNG, RED]
    show(a.path, "1", "--images", str(folder))
    written[0].write_bytes(b"mine")
    assert run(["show", a.path, "1", "--images", str(folder)]) == 2
    assert str(written[0]) in capsys.readouterr().err
    assert written[0].read_bytes() == b"mine"


HOSTILE = {
    "a lone surrogate": ("a\ud83db", "a\\ud83db"),
    "NUL": ("a\x00b", "a\\x00b"),
    "escape sequences": ("\x1b[2J\x1b]0;t\x07\x9b31m", "\\x1b[2J\\x1b]0;t\\x07\\x9b31m"),
    "letters that turn the line around": ("\u202eabc\u2066", "\\u202eabc\\u2066"),
    "a line that is written over": ("good\rbad\x08\x0b\x0c", "good\\x0dbad\\x08\\x0b\\x0c"),
    "other line ends": ("a\u2028b\u2029c\x85d", "a\\u2028b\\u2029c\\x85d"),
    "a made up result": ("x\n== result\nreward     1", "   x\n   == result\n   reward     1"),
    "deep nesting": ("[" * 3000, "[" * 3000),
}


@pytest.mark.parametrize(("text", "shown"), HOSTILE.values(), ids=HOSTILE)
def test_whatever_is_said_stays_text_on_a_terminal_and_whole_in_the_object(
    a: Made, show: Callable[..., Any], text: str, shown: str
) -> None:
    """As the model's words, its thoughts, the name and arguments of a tool, and a tool's output."""
    name, final = text[:50], text + "\\boxed{" + text + "}"
    called = reply(text, ("call_1", name, json.dumps({"command": text})), ("call_2", name, text), reasoning=text)
    later = [*opening(), *turn(text, [CALL], [text]), attached(RED)]
    a.attempt("1", exchanges=[(body(opening()), called), (_surrogates(later), reply(final, reasoning=text))])
    a.score("1", scored(text[:100], 0.0))
    out = show(a.path, "1", "--full")
    assert out.count(shown) >= 5
    assert all(sign.isprintable() or sign == "\n" for sign in out)
    assert [line for line in out.splitlines() if line.startswith("reward")] == ["reward     0"]
    found = show(a.path, "1", "--json")
    assert found["turns"][2]["parts"] == [{"text": text}]
    assert found["turns"][2]["reasoning"] == text
    assert found["turns"][2]["tool_calls"][1]["arguments"] == text
    assert found["turns"][3]["parts"] == [{"text": text}]
    assert found["answer"] == final
    listed = show(a.path)
    assert all(sign.isprintable() or sign == "\n" for sign in listed)
    assert len(listed.splitlines()) == 5


def _surrogates(messages: Sequence[Any]) -> bytes:
    """A request whose JSON can hold lone surrogates."""
    return json.dumps(json.loads(body([])) | {"messages": list(messages)}).encode()


def test_invalid_utf8_from_the_endpoint_is_shown_as_it_is_read(a: Made, show: Callable[..., Any]) -> None:
    a.attempt("1", exchanges=[(body(opening()), reply("ABC").replace(b"ABC", b"\xff\xfe ok"))])
    assert "   \ufffd\ufffd ok" in show(a.path, "1")


def test_an_answer_nested_too_deeply_is_shown_with_its_error(a: Made, show: Callable[..., Any]) -> None:
    a.attempt("1", exchanges=[(body(opening()), b'{"choices": ' + b"[" * 200_000)])
    assert "no finish reason, error" in show(a.path, "1")


def test_arguments_nested_deeply_are_shown_as_they_came(a: Made, show: Callable[..., Any]) -> None:
    arguments = '{"a":' * 100_000
    a.attempt("1", exchanges=[(body(opening()), reply("", ("c", "bash", arguments)))])
    assert '-> bash\n      {"a":{"a":' in show(a.path, "1")


# A command line, then the most memory it had, in kB: wait4 and getrusage never say less than its parent had when it was
# made.
MEASURED = """
import sys
from harness.cli.main import run
status = run(sys.argv[1:])
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")), file=sys.stderr)
sys.exit(status)
"""


def test_an_answer_of_twelve_megabytes_is_cut_in_bounded_time_and_memory(a: Made, tmp_path: Path) -> None:
    text = "begin " + ("x" * 48 + "\x1b\n") * 240_000 + "\\boxed{7} end"
    a.attempt("1", exchanges=[(body(opening()), reply(text))])
    stated, measured = tmp_path / "stdout", tmp_path / "stderr"
    with stated.open("wb") as out, measured.open("wb") as err:
        child = subprocess.Popen([sys.executable, "-c", MEASURED, "show", a.path, "1"], stdout=out, stderr=err)
        _, status, used = os.wait4(child.pid, 0)  # this child's use alone
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    assert used.ru_utime < 20  # seconds of processor time
    assert int(measured.read_text().split()[-1]) < 400_000
    shown = stated.read_text("utf-8")
    assert len(shown) < 4 * CUT + 10_000
    assert "   begin xxx" in shown
    assert "characters are left out: --full shows them" in shown
    assert "\\boxed{7} end" in shown


@pytest.mark.parametrize("argv", [[], ["1", "--full"]])
def test_a_reader_that_goes_away_ends_it_quietly(a: Made, argv: Sequence[str]) -> None:
    a.attempt("1", exchanges=talk("line\n" * 100_000))
    command = [sys.executable, "-m", "harness.cli", "show", a.path, *argv]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.readline()
        child.stdout.close()
        assert b"Traceback" not in child.stderr.read()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_letters_that_the_terminal_lacks_are_escaped(a: Made, encoding: str) -> None:
    a.answered("1", "Ω图", 1.0)
    command = [sys.executable, "-m", "harness.cli", "show", a.path]
    done = subprocess.run(command, capture_output=True, check=True, env={"PYTHONIOENCODING": encoding})
    assert b"\\u03a9\\u56fe" in done.stdout
