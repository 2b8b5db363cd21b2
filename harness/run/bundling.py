"""What goes into a bundle: this very harness, the source that it is built from, and what else is asked for."""

from collections.abc import Callable, Iterator
from pathlib import Path

from harness.benchmarks.babyvision.data import checking
from harness.benchmarks.babyvision.data.installed import Installed, Place
from harness.errors import StoreCorruptError, UsageError
from harness.pins import flake, storepaths
from harness.store.bundle.contents import Contents, DataFile

Say = Callable[[str], None]


def gather(source: Path, data_dir: Path | None, *, pins: bool) -> Contents:
    """The contents of a bundle.

    Args:
        source: a folder with the flake of this harness.
        data_dir: where the data set to take along is installed; None for none.
        pins: whether the pinned files come along, with which all of it can be built again.

    Raises:
        UsageError: no flake, one of another harness, or no data set. HostUnfitError: no Nix, or this harness does not
            run out of its store. StoreCorruptError: a damaged data set. HarnessError: what Nix said.
    """
    harness, tree = storepaths.own(), flake.source(source)
    _check_same(source, flake.package(tree, "harness"), harness)
    farm = flake.build(tree, "pins") if pins else None
    data = tuple(data_files(Place.of(data_dir))) if data_dir is not None else ()
    return Contents(
        harness=str(harness),
        source=str(tree),
        pins=None if farm is None else str(farm),
        paths=storepaths.closure([harness, tree, *([] if farm is None else [farm])]),
        data=data,
    )


def sizes(contents: Contents) -> Iterator[tuple[str, int, int]]:
    """What is in it, how many store paths or files that are, and their bytes; nothing is counted twice."""
    tops = [("harness and sandbox", contents.harness), ("source", contents.source)]
    if contents.pins is not None:
        tops.append(("pins", contents.pins))
    by_path, counted = {each.path: each for each in contents.paths}, set[str]()
    for name, top in tops:
        found, todo = set[str](), [top]
        while todo:
            path = todo.pop()
            if path not in found and path not in counted:
                found.add(path)
                todo += by_path[path].references
        counted |= found
        yield name, len(found), sum(by_path[path].nar_size for path in found)
    if contents.data:
        yield "data", len(contents.data), sum(each.size for each in contents.data)


def data_files(place: Place) -> Iterator[DataFile]:
    """The files of an installed data set: blobs first, and what makes it visible last."""
    installed = place.open()
    if installed is None:
        raise UsageError(f"No data is installed in {place.folder}. Run: harness data fetch, or: harness data add FILE")
    problems = checking.damage(installed)
    if problems:
        raise StoreCorruptError("\n".join(["The installed data set is damaged, so no bundle is made:", *problems]))
    for path in _files(installed):
        yield DataFile(path.relative_to(place.folder.parent).as_posix(), path, path.stat().st_size)


def _files(installed: Installed) -> Iterator[Path]:
    place = installed.place
    blobs = {puzzle.image for puzzle in installed.data.puzzles.values()} | {each.rows for each in installed.origins}
    yield from (place.blobs.path(blob) for blob in sorted(blobs))
    yield from sorted(place.record(origin.kind) for origin in installed.origins)


def _check_same(source: Path, built: Path, running: Path) -> None:
    if built != running:
        raise UsageError(
            f"{source} is the source of another harness ({built}) than this one ({running}). Make the bundle with the "
            f"harness of that source: nix run {source} -- bundle ..."
        )
