"""One attempt as text for a terminal: the talk, then what came of it. What others wrote is always indented."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from harness.report import show_proof
from harness.report.words import block, counted, duration, plain

CUT: Final = 4000  # characters of a text that are shown unless all is asked for
SYSTEM_CUT: Final = 300  # ... of the agent's own long instructions, which are the same in every rollout
REFUSED_MAX: Final = 20  # refused requests that are named
INDENT: Final = "   "
# By what it was seen that nothing of the sandbox lived (`harness.sandbox.values.Proof`).
DEAD: Final[Mapping[str, str]] = {
    "init": "its first process had ended",
    "ids": "no process had its user ids",
    "cgroup": "its cgroup was empty",
}


def render(found: Mapping[str, Any], *, full: bool) -> Iterator[str]:
    """The lines; ``found`` is the object of ``--json``. Without ``full`` long texts are cut in the middle."""
    most = None if full else CUT
    number = next(one["number"] for one in found["attempts"] if one["name"] == found["attempt"])
    which = f"attempt {number} of {len(found['attempts'])}" + (", the one that counts" if found["counts"] else "")
    yield f"task {plain(found['task'])}, repeat {found['repeat']}, {which}"
    for turn in found["turns"]:
        yield ""
        yield from _turn(turn, most)
    for call in found.get("calls_off_chain", ()):
        yield ""
        yield from _call(call, most)
    yield ""
    yield from _result(found, most)
    yield ""
    yield from show_proof.render(found, full=full)


def _turn(turn: Mapping[str, Any], most: int | None) -> Iterator[str]:
    role = turn["role"]
    if role == "tool":
        yield f"-- tool {plain(turn['tool'][:80])}"
    elif role == "assistant":
        yield f"-- assistant, call {turn['call']}: {_about(turn)}"
        yield from _reasoning(turn, most)
    else:
        yield f"-- {role}"
    if most is not None and role == "system":
        most = SYSTEM_CUT
    elif role == "assistant" and not turn["tool_calls"] and not any(map(_speaks, turn["parts"])):
        yield INDENT + "(no text)"
        return
    for part in turn["parts"]:
        yield from _image(part["image"]) if "image" in part else _indented(part["text"], most)
    if role == "assistant":
        yield from _calls(turn["tool_calls"], most)


def _speaks(part: Mapping[str, Any]) -> bool:
    return "image" in part or bool(part["text"].strip())


def _about(turn: Mapping[str, Any]) -> str:
    usage = turn["usage"]
    ways = (("prompt", "in"), ("completion", "out"))
    tokens = [f"{counted(usage[name], 'token')} {way}" for name, way in ways if usage[name]]
    finish = plain((turn["finish_reason"] or "no finish reason")[:80])
    error = f", error {plain(turn['error'][:200])}" if turn["error"] else ""
    return ", ".join([f"{turn['seconds']:.1f} s", finish, *tokens]) + error


def _reasoning(turn: Mapping[str, Any], most: int | None) -> Iterator[str]:
    if turn["reasoning"]:
        yield INDENT + "(thinking)"
        yield from _indented(turn["reasoning"], most, depth=2)


def _calls(calls: Sequence[Mapping[str, Any]], most: int | None) -> Iterator[str]:
    for call in calls:
        yield f"{INDENT}-> {plain(call['name'][:80])}"
        arguments = _read(call["arguments"])
        if arguments is None:
            yield from _indented(call["arguments"], most, depth=2)
            continue
        for name, value in arguments.items():
            if isinstance(value, str) and "\n" in value:
                yield f"{INDENT * 2}{plain(name[:80])}:"
                yield from _indented(value, most, depth=3)
            else:
                text = value if isinstance(value, str) else json.dumps(value)
                yield from _indented(f"{name[:80]}: {text}", most, depth=2)


def _read(arguments: str) -> Mapping[str, Any] | None:
    """Arguments as an object that can be written again; None for anything else that a model came up with."""
    try:
        value = json.loads(arguments)
        json.dumps(value)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and value else None


def _image(image: Mapping[str, Any]) -> Iterator[str]:
    size = f"{image['width']}x{image['height']}" if image["width"] else "size unknown"
    yield f"{INDENT}[image {image['sha256'][:16]}: {image['media_type']}, {size}, {image['bytes']:,} bytes]"


def _call(call: Mapping[str, Any], most: int | None) -> Iterator[str]:
    yield f"-- off the chain, call {call['call']}: HTTP {call['status']}, {_about(call)}"
    yield INDENT + "(request)"
    yield from _indented(call["request"], most, depth=2)
    yield INDENT + "(answer)"
    yield from _reasoning(call, most)
    yield from _indented(call["text"] if call["body"] is None else call["body"], most, depth=2)
    yield from _calls(call["tool_calls"], most)


def _result(found: Mapping[str, Any], most: int | None) -> Iterator[str]:
    """What came of it: every line has a name of ours at its beginning, or is indented."""
    yield "== result"
    for name, text in _rows(found):
        lines = list(block(text, most))
        yield f"{name:<10} {lines[0]}".rstrip() if len(lines) == 1 else name
        if len(lines) > 1:
            yield from (INDENT + line if line else "" for line in lines)
    for attempt in found["attempts"] if len(found["attempts"]) > 1 else ():
        state = "masked" if attempt["masked"] else "counts" if attempt["counts"] else "measured"
        about = f"{plain(attempt['outcome'])} ({state}), {duration(attempt['played_seconds'])}, {attempt['started']}"
        yield f"attempt    {attempt['number']} {about}, {plain(attempt['name'])}"


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    outcome = found["outcome"]
    yield "answer", "none" if found["answer"] is None else found["answer"].rstrip("\n")
    yield "extracted", found["extracted_answer"] or "nothing"
    yield "gold", found["gold"]
    if found["verdict"]:
        yield "verdict", f"{found['verdict']}: {found['reason']}"
    if found["failure_kind"]:
        yield "failure", f"{found['failure_kind']}: {found['failure_reason']}"
    yield "reward", "none: masked or not graded" if found["reward"] is None else f"{found['reward']:g}"
    masked = " (masked)" if outcome["masked"] else ""
    yield "outcome", outcome["kind"] + masked + (f": {outcome['reason']}" if outcome["reason"] else "")
    yield from measurements(found, off_chain=" (--all-calls shows them)")


def measurements(found: Mapping[str, Any], *, off_chain: str = "") -> Iterator[tuple[str, str]]:
    """Names and texts of what was counted and observed of an attempt; ``found`` is the object of ``--json``.

    ``off_chain`` is said of calls off the chain. Texts may hold anything (see `harness.report.words.plain`).
    """
    observed = found["observed"]
    waited = duration(found["waited_seconds"])
    yield "time", f"{duration(found['played_seconds'])}, {waited} of it waiting for the policy endpoint"
    counted = [f"{name} {count:,}" for name, count in found["tokens"].items() if count is not None]
    yield "tokens", ", ".join(counted) or "not counted by the endpoint"
    off = f", {len(found['off_chain'])} off it{off_chain}" if found["off_chain"] else ""
    refused = f", {len(observed['refusals'])} refused" if observed["refusals"] else ""
    again = f", {observed['tried_again']} more tries at the endpoint" if observed["tried_again"] else ""
    yield "calls", f"{len(found['chain'])} on the chain{off}{refused}{again}"
    for one in observed["refusals"][:REFUSED_MAX]:
        yield "refused", f"{one.get('method')} {one.get('path')}: {one.get('reason')}"
    if found["flags"]:
        yield "flags", ", ".join(found["flags"])
    yield from _evidence(observed)


def _evidence(observed: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if observed["limits"]:
        yield "limits", ", ".join(f"{name} by {held}" for name, held in sorted(observed["limits"].items()))
    if observed["dead"]:
        signs = ", ".join(DEAD.get(sign, sign) for sign in observed["dead"])
        yield "ended", f"no process of the sandbox was left when its files were read: {signs}"
    if observed["full"]:
        yield "full", ", ".join(observed["full"])
    if observed["peak_rss"]:
        yield "memory", f"{observed['peak_rss'] / 2**20:,.0f} MiB at the most, shared pages counted for each process"
    code = "" if observed["exit_code"] is None else f" with status {observed['exit_code']}"
    yield "agent", f"{observed['how'] or 'never started'}{code}, host {observed['host']}"


def _indented(text: str, most: int | None, depth: int = 1) -> Iterator[str]:
    stripped = text.rstrip("\n")
    return (INDENT * depth + line if line else "" for line in block(stripped, most)) if stripped else iter(())
