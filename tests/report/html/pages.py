"""A page as a browser's parser sees it, and making one of a run."""

import json
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import attrs

from harness.report.html.making import Wanted, make
from tests.report.runs import Made

Attributes = Mapping[str, str | None]


@attrs.frozen
class Row:
    """A line of the table: its attributes, and by the first class of each cell the cell's attributes and text."""

    attributes: Attributes
    cells: Mapping[str, tuple[Attributes, str]]

    def text(self, name: str) -> str:
        return self.cells[f"c-{name}"][1]


class Page(HTMLParser):
    """What there is on a page."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.elements: list[tuple[str, Attributes]] = []
        self.blocks: dict[str, str] = {}
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.texts: list[str] = []
        self.rows: list[Row] = []
        self._inside = ""
        self._block = ""
        self._cell = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.elements.append((tag, found))
        if tag in ("script", "style"):
            self._inside, self._block = tag, found.get("id") or ""
            if tag == "script" and not found.get("type"):
                self.scripts.append("")
        if tag == "tr" and "data-task" in found:
            self.rows.append(Row(found, {}))
        classes = (found.get("class") or "").split()
        if tag in ("td", "th") and self.rows and classes and classes[0].startswith("c-"):
            self._cell = classes[0]
            self.rows[-1].cells[self._cell] = (found, "")  # type: ignore[index]

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._inside = ""
        if tag in ("td", "th"):
            self._cell = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "style":
            self.styles.append(data)
        elif self._inside == "script" and self._block:
            self.blocks[self._block] = self.blocks.get(self._block, "") + data
        elif self._inside == "script":
            self.scripts[-1] += data
        else:
            self.texts.append(data)
            if self._cell:
                attributes, before = self.rows[-1].cells[self._cell]
                self.rows[-1].cells[self._cell] = (attributes, before + data)  # type: ignore[index]

    @property
    def text(self) -> str:
        """All that is shown, with one space between words and elements."""
        return " ".join(" ".join(self.texts).split())

    @property
    def entries(self) -> Sequence[Mapping[str, Any]]:
        """What the page's script knows of each line."""
        return list(json.loads(self.blocks["index"])["entries"])

    def rollout(self, number: int) -> Mapping[str, Any]:
        """What is shown when this line is opened."""
        return dict(json.loads(self.blocks[f"r-{number}"]))

    def attributes(self, tag: str) -> list[Attributes]:
        """Of each element of this kind."""
        return [found for name, found in self.elements if name == tag]


def page(run: Made, *, scorer: str | None = None) -> Page:
    """The run's page."""
    out = run.run.layout.root.with_suffix(".html")
    make(run.run.layout.root, Wanted(out=out, scorer=scorer, replace=True))
    return Page(read(out))


def read(path: Path) -> str:
    """A page's source; its line ends as they are."""
    return path.read_bytes().decode("utf-8")
