"""What reproducing an archive came to, in lines for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from harness.report.words import plain

_FROM: Final = {
    "this": "this one",
    "store": "it was in the store",
    "bundle": "out of the bundle",
    "source": "built from its source",
}


def reproduced(report: Mapping[str, Any]) -> Iterator[str]:
    """The lines of what `harness reproduce --json` prints as an object."""
    yield _line("archive", f"{report['archive']}, {report['digest']}: whole")
    yield _line("harness", f"{report['harness'] or 'out of no Nix store'} ({_FROM[report['harness_from']]})")
    proven = report["store_paths_proven"]
    yield _line("", f"{proven} store paths are what the record says" if proven else "not held against the record")
    if report["harness_builds"] > 1:
        yield _line("", f"the run was played by {report['harness_builds']} harnesses; this is the last of them")
    yield _line("scores", f"{_count(report['scores'])} computed from the record are identical")
    yield _line("rollouts", f"{_count(report['rollouts'])} run again from the record are identical")
    yield _line("", f"{_count(report['scores_again'])} of their scores are")
    if report["unmeasured"]:
        yield _line("unmeasured", f"{report['unmeasured']} planned rollouts have no measurement in the record")
    yield _line("results", report["folder"])
    if report["first_difference"]:
        yield _line("NOT reproduced", report["first_difference"])
    else:
        yield _line("reproduced", f"content digest {report['content_digest']}")


def _count(count: Mapping[str, int]) -> str:
    return f"{count['identical']} of {count['of']}"


def _line(name: str, text: str) -> str:
    return f"{name:<16}{plain(text)}"
