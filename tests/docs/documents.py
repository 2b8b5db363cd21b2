"""The documents, read as Markdown: their links, headings, code and commands."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
INDEX: Final = DOCS / "README.md"

# How the documents write the command `harness`. A path to an installed one stays as it is: it is another program.
_WRITTEN: Final = (
    (re.compile(r"^sh nix/setup\.sh nix run \.#eval -- "), "harness eval "),
    (re.compile(r"^(?:sh nix/setup\.sh nix run \. --|h) "), "harness "),
)
_INLINE: Final = re.compile(r"(?:sh nix/setup\.sh|harness|h|~/\.local/bin/harness|/shared/harness) \S")
_COMMENT: Final = re.compile(r"(?:^|\s+)#\s.*$")


@attrs.frozen
class Command:
    """A command as a document gives it, without its comment and with ``harness`` for all ways to write it."""

    page: str
    line: int
    text: str
    inline: bool = False  # it stands in a sentence

    @property
    def where(self) -> str:
        """Page and line, for a message."""
        return f"{self.page}:{self.line}: {self.text}"


@attrs.frozen
class Link:
    """A link to another file, or within one; ``target`` as it is written."""

    page: Path
    line: int
    target: str


@attrs.frozen
class Page:
    """One document; ``tokens`` are markdown-it's."""

    path: Path
    tokens: tuple[Token, ...]

    @classmethod
    def read(cls, path: Path) -> "Page":
        """The document in a file."""
        return cls(path, tuple(MarkdownIt("commonmark").enable("table").parse(path.read_text())))

    @property
    def name(self) -> str:
        """Its path below the top of the source."""
        return self.path.relative_to(ROOT).as_posix()

    def anchors(self) -> set[str]:
        """The names of its headings in links, as GitHub makes them."""
        seen: Counter[str] = Counter()
        found = set()
        for heading, inline in zip(self.tokens, self.tokens[1:], strict=False):
            if heading.type != "heading_open":
                continue
            text = "".join(child.content for child in inline.children or ())
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
        return found

    def links(self) -> Iterator[Link]:
        """Its links and pictures."""
        for line, child in self._inline():
            target = child.attrs.get("href") or child.attrs.get("src")
            if target:
                yield Link(self.path, line, str(target))

    def spans(self) -> Iterator[tuple[int, str]]:
        """Line and text of each piece of code within a sentence."""
        return ((line, child.content) for line, child in self._inline() if child.type == "code_inline")

    def fences(self, language: str) -> Iterator[tuple[int, str]]:
        """Line and text of each block of a language; the line is that of the block's first."""
        for token in self.tokens:
            if token.type == "fence" and token.info.strip() == language and token.map:
                yield token.map[0] + 2, token.content

    def commands(self) -> Iterator[Command]:
        """Every command: those of its blocks of shell, and those within sentences."""
        for first, block in self.fences("sh"):
            for line, text in _statements(block):
                yield Command(self.name, first + line, plain(text))
        for line, text in self.spans():
            if _INLINE.match(text):
                yield Command(self.name, line, plain(text), inline=True)

    def _inline(self) -> Iterator[tuple[int, Token]]:
        for token in self.tokens:
            for child in token.children or ():
                yield (token.map[0] + 1 if token.map else 0), child


def pages() -> list[Page]:
    """All documents for people."""
    return [Page.read(path) for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md")))]


def plain(text: str) -> str:
    """A command with ``harness`` for each way to write it, and single blanks."""
    for pattern, name in _WRITTEN:
        text = pattern.sub(name, text)
    return text


def _statements(block: str) -> Iterator[tuple[int, str]]:
    """The statements of a block of shell and their lines: a loop is one, and so is what a backslash goes on with."""
    begun, text = 0, ""
    for number, raw in enumerate(block.splitlines()):
        line = _COMMENT.sub("", raw).rstrip()
        if not text:
            begun = number
        text = f"{text}{line.strip() if text else line}"
        if text.endswith("\\"):
            text = text[:-1].rstrip() + " "
        elif len(re.findall(r"\bdo\b", text)) > len(re.findall(r"\bdone\b", text)):
            text += "\n"
        elif text:
            yield begun, text
            text = ""
