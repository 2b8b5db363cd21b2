"""A page's frame: everything of it but the blocks of rollouts and images, which come after it."""

import base64
import functools
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from harness.report import table
from harness.report.html import blocks
from harness.report.html.rollouts import NOT_RIGHT, VERDICTS, Entry
from harness.report.words import plain
from harness.store.canonical import JSON

HERE: Final = Path(__file__).parent
# One script: each file is a subject, and uses only what stands in those before it.
SCRIPTS: Final = ("dom.js", "state.js", "table.js", "talk.js", "rollout.js", "main.js")
STYLES: Final = ("base.css", "summary.css", "table.css", "rollout.css", "print.css")
STEP: Final = 500  # rows that are shown at first, as in table.js
END: Final = b"</body>\n</html>\n"


@attrs.frozen(kw_only=True)
class Place:
    """Where a page stands among the pages of a folder; the defaults are those of a page that is alone.

    ``pages`` has the page of each entry where the entries' rollouts are not on this one.
    """

    title: str = ""
    index: str = ""
    previous: str = ""
    following: str = ""
    pages: Sequence[str] = ()
    image_files: bool = False


def frame(context: Mapping[str, Any], entries: Sequence[Entry], place: Place) -> Iterator[bytes]:
    """The page up to its blocks, piece by piece; ``context`` is empty for a page without the run's figures."""
    template = _environment().get_template("page.html.j2")
    repeats = any(entry.row.result.repeat for entry in entries)
    script, style = f"(() => {{\n{_joined(SCRIPTS)}}})();\n", _joined(STYLES)
    stream = template.stream(
        **context,
        summary=bool(context.get("figures")),
        place=place,
        policy_of_content=_policy_of_content(script, style, image_files=place.image_files),
        script=script,
        style=style,
        index=blocks.data("index", _index(entries, place, repeats=repeats)).decode("ascii"),
        entries=entries,
        step=STEP,
        choices=_choices(entries),
        words=VERDICTS,
        has_repeats=repeats,
        has_pictures=any(entry.picture for entry in entries),
        has_groups=max((len(entry.groups) for entry in entries), default=0),
    )
    stream.enable_buffering(200)
    return (piece.encode("utf-8") for piece in stream)


@functools.cache
def _environment() -> Any:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@functools.cache
def _joined(names: Sequence[str]) -> str:
    return "\n".join((HERE / name).read_text("utf-8") for name in names)


def _policy_of_content(script: str, style: str, *, image_files: bool) -> str:
    """What the browser allows: this script, this style, images that are here. Nothing can be loaded or sent."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_source(script)}",
            f"style-src {_source(style)}",
            "img-src data: 'self'" if image_files else "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _index(entries: Sequence[Entry], place: Place, *, repeats: bool) -> dict[str, JSON]:
    return {
        "repeats": repeats,
        "entries": [entry.to_json() for entry in entries],
        "pages": list(place.pages),
        "index": place.index,
        "previous": place.previous,
        "following": place.following,
        "hints": dict(table.HINTS),
        "not_right": list(NOT_RIGHT),
    }


def _choices(entries: Sequence[Entry]) -> dict[str, dict[str, str]]:
    """What each filter offers, and the words for it."""
    categories = {" / ".join(entry.groups[:depth]) for entry in entries for depth in range(1, len(entry.groups) + 1)}
    found = {
        "outcome": {plain(entry.row.result.outcome) for entry in entries},
        "category": categories,
        "flag": {plain(flag) for entry in entries for flag in entry.row.result.flags},
    }
    choices = {name: {value: value for value in sorted(values)} for name, values in found.items()}
    verdicts = {entry.verdict for entry in entries}
    choices["verdict"] = {name: word for name, word in VERDICTS.items() if name in verdicts}
    if not verdicts.isdisjoint(NOT_RIGHT):
        choices["verdict"]["not-right"] = "not right, but measured"
    return choices
