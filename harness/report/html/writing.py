"""Writing a run's pages: one file that holds everything, or a folder for runs of thousands.

Rollouts and images are read once, and wait in unnamed files until the page before them is written: what is in memory
doesn't grow with them.
"""

import contextlib
import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final, Protocol

import attrs

from harness.report.conversation import Picture
from harness.report.html import blocks, figures, page, settings
from harness.report.html.page import Place
from harness.report.html.rollouts import Entry, read
from harness.run.plan import Item
from harness.run.rows import Looked
from harness.store import atomic
from harness.store.digests import Digest

PAGE_SIZE: Final = 100  # rollouts on a page of a folder
INDEX: Final = "index.html"
IMAGES: Final = "images"


class Sink(Protocol):
    """Where bytes go."""

    def write(self, data: bytes, /) -> object:
        """Take all of them, or raise NoSpaceError or HarnessError."""


# Is told how many rollouts of how many are done, before each.
Told = Callable[[int, int], None]


def nothing(done: int, planned: int) -> None:
    """Nobody wants to know."""


@attrs.frozen
class Written:
    """How many rollouts and distinct images a report holds, and in how many pages."""

    rollouts: int
    images: int
    pages: int


def write_file(looked: Looked, out: Sink, scratch: Path, told: Told = nothing) -> Written:
    """Write the run as one page; ``scratch`` is a folder for what has to wait.

    Raises StoreCorruptError for a damaged run, and as ``out`` does.
    """
    with _waiting(scratch) as rollouts, _waiting(scratch) as images:
        kept = _Inline(images)
        entries = _put(looked, _followed(looked.items, told), rollouts, kept.keep)
        for piece in page.frame(_context(looked, entries), entries, Place()):
            out.write(piece)
        for waiting in (rollouts, images):
            _pass_on(waiting, out)
    out.write(page.END)
    return Written(len(entries), len(kept.known), 1)


def write_folder(looked: Looked, folder: Path, told: Told = nothing) -> Written:
    """Write the run into an empty folder: index.html, a page for each hundred rollouts, the images as files.

    Raises StoreCorruptError for a damaged run, NoSpaceError or HarnessError where it can't be written.
    """
    items, kept = looked.items, _Files(folder / IMAGES)
    left, pages_of_rollouts = _followed(items, told), -(-len(items) // PAGE_SIZE)
    names = ["", *(f"rollouts-{number}.html" for number in range(1, pages_of_rollouts + 1)), ""]
    entries: list[Entry] = []
    for number in range(1, pages_of_rollouts + 1):
        with _waiting(folder) as rollouts:
            here = _put(looked, itertools.islice(left, PAGE_SIZE), rollouts, kept.keep)
            first = len(entries) + 1
            place = Place(
                title=f"Rollouts {first} to {first + len(here) - 1} of {len(items)}",
                index=INDEX,
                previous=names[number - 1],
                following=names[number + 1],
                image_files=True,
            )
            with _file(folder / names[number]) as out:
                for piece in page.frame(figures.names(looked.run.manifest), here, place):
                    out.write(piece)
                _pass_on(rollouts, out)
                out.write(page.END)
        entries += here
    pages = [names[1 + place // PAGE_SIZE] for place in range(len(entries))]
    with _file(folder / INDEX) as out:
        for piece in page.frame(_context(looked, entries), entries, Place(pages=pages, image_files=True)):
            out.write(piece)
        out.write(page.END)
    return Written(len(entries), len(kept.known), pages_of_rollouts + 1)


@attrs.define
class _Inline:
    """Images as blocks of the page."""

    waiting: IO[bytes]
    known: set[Digest] = attrs.field(factory=set)

    def keep(self, picture: Picture) -> None:
        if picture.sha256 not in self.known:
            self.known.add(picture.sha256)
            self.waiting.write(blocks.image(picture))


@attrs.define
class _Files:
    """Images as files of a folder."""

    folder: Path
    known: set[Digest] = attrs.field(factory=set)

    def keep(self, picture: Picture) -> None:
        if picture.sha256 not in self.known:
            self.known.add(picture.sha256)
            self.folder.mkdir(exist_ok=True)
            (self.folder / blocks.image_name(picture)).write_bytes(picture.data())


def _followed(items: Sequence[Item], told: Told) -> Iterator[Item]:
    for done, item in enumerate(items):
        told(done, len(items))
        yield item


def _put(looked: Looked, items: Iterable[Item], out: Sink, keep: Callable[[Picture], None]) -> list[Entry]:
    """Write each rollout's block and keep its images; returns the lines of the table."""
    entries = []
    for number, item in enumerate(items):
        opened = read(looked, item)
        out.write(blocks.data(f"r-{number}", dict(opened.data)))
        for picture in opened.pictures:
            keep(picture)
        entries.append(opened.entry)
    return entries


def _context(looked: Looked, entries: Sequence[Entry]) -> dict[str, Any]:
    about = looked.about([entry.row for entry in entries])
    names = figures.names(looked.run.manifest)
    return names | figures.context(about, entries) | {"settings": list(settings.rows(looked.run))}


@contextlib.contextmanager
def _waiting(folder: Path) -> Iterator[IO[bytes]]:
    with atomic.explained(folder), tempfile.TemporaryFile(dir=folder) as file:
        yield file


@contextlib.contextmanager
def _file(path: Path) -> Iterator[IO[bytes]]:
    with atomic.explained(path), path.open("xb") as file:
        yield file


def _pass_on(waiting: IO[bytes], out: Sink) -> None:
    waiting.seek(0)
    shutil.copyfileobj(waiting, out)
