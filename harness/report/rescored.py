"""What scoring a run again came to, in lines for a terminal; nothing slow is imported for it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from harness.report.words import plain

UNJUDGED: Final = frozenset({"judge_failed", "judge_unparseable"})  # outcomes that another reply of the judge mends
SHOWN: Final = 40  # rollouts that moved; --json has all of them


def rescored(report: Mapping[str, Any]) -> Iterator[str]:
    """The lines of what `harness rescore --json` prints as an object."""
    low, high = report["reward_low"], report["reward_high"]
    mean = "-" if report["reward"] is None else f"{report['reward']:.4f}"
    yield _line("run", report["run"])
    yield _line("judge", f"{report['judge_model']}, judging {report['judging']}: {_asked(report)}")
    yield _line("scorer", report["scorer"])
    if report["scorer_before"] not in (None, report["scorer"]):
        yield _line("", f"was {report['scorer_before']}; back to it: --scorer {report['scorer_before'][:12]}")
    yield _line("mean/reward", f"{mean}  (bounds {low:.4f} to {high:.4f})")
    yield _line("coverage", f"{report['coverage']:.1%}  ({report['measured']} of {report['planned']} measured)")
    if report["masked"]:
        counts = ", ".join(f"{name} {count}" for name, count in report["masked_outcomes"].items())
        yield _line("masked", f"{report['masked']}: {counts}")
        if report["judge"] == "recorded" and not UNJUDGED.isdisjoint(report["masked_outcomes"]):
            yield _line(
                "", "the judge gave these no verdict that is kept; to ask it: the same options with --judge failed"
            )
    yield _line("scores", f"{report['written']} written, the others were there as they are")
    yield from _moved(report["moved"])
    if report["judge_repeats"]:
        yield from _repeats(report["judge_repeats"])


def differing(root: str, differences: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """The lines of a check that failed: the first path, and how many more there are."""
    words = {"missing": "is missing", "extra": "belongs to no rollout", "differs": "is not what is computed again"}
    first = differences[0]
    yield plain(f"{root}/{first['path']} {words[first['what']]}")
    if len(differences) > 1:
        yield f"and {len(differences) - 1} more; --json names them all"


def _asked(report: Mapping[str, Any]) -> str:
    return "recorded replies" if report["judge"] == "recorded" else f"asked {report['asked']} times now"


def _moved(moved: Mapping[str, Any]) -> Iterator[str]:
    if not moved["compared"]:
        return
    yield _line("moved", f"{len(moved['rows'])} of {moved['compared']} that had a score before")
    for change, count in moved["counts"].items():
        yield _line("", f"{count:>6}  {change}")
    for row in moved["rows"][:SHOWN]:
        yield _line("", f"task {row['task']}, repeat {row['repeat']}: {_mark(row['old'])} -> {_mark(row['new'])}")
    if len(moved["rows"]) > SHOWN:
        yield _line("", f"... and {len(moved['rows']) - SHOWN} more; --json names them all")


def _mark(mark: Mapping[str, Any]) -> str:
    return "masked" if mark["reward"] is None else f"{mark['reward']:g} ({mark['verdict'] or 'no verdict'})"


def _repeats(found: Mapping[str, Any]) -> Iterator[str]:
    agreement = "-" if found["agreement"] is None else f"{found['agreement']:.1%}"
    means = ", ".join(f"{mean:.4f}" for mean in found["means"])
    yield _line("judgings", f"{found['judgings']}, with a verdict each for {found['judged']} answers")
    yield _line("", f"agreement {agreement}; {found['flips']} answers got different verdicts")
    yield _line("", f"means {means or '-'}")
    own, tasks = found["standard_deviation"], found["standard_error"]
    yield _line(
        "",
        f"standard deviation of the mean between judgings {'-' if own is None else f'{own:.4f}'}; standard error of "
        f"the mean over tasks {'-' if tasks is None else f'{tasks:.4f}'}",
    )


def _line(name: str, value: object) -> str:
    return plain(f"{name:<14}{value}")
