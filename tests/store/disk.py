"""A model of a disk at a power cut: what was not flushed may be there, or not, or empty.

It follows what this process does below one folder. A file's bytes are on the disk once the file was flushed; a name in
a folder is, once the folder was flushed, and only if the folder's own name is. Of all that is not, any part may have
got there by chance.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from harness.store import together

Call = tuple[str, Path, Any]  # what, where, and the bytes or the other path
Chance = Callable[[], bool]


class Killed(BaseException):
    """The process has died: nothing that it still wants to do takes place."""


@attrs.define(eq=False)
class Node:
    """A file, or a folder: ``flushed`` names are surely on the disk, ``pending`` changes of names perhaps."""

    is_folder: bool
    data: bytes = b""
    safe: bool = False
    live: dict[str, "Node"] = attrs.field(factory=dict)
    flushed: dict[str, "Node"] = attrs.field(factory=dict)
    pending: list[dict[str, "Node | None"]] = attrs.field(factory=list)

    def change(self, names: dict[str, "Node | None"]) -> None:
        """Give or take names, all at once."""
        _rename(self.live, names)
        self.pending.append(names)

    def flush(self) -> None:
        """Bring a file's bytes or a folder's names to the disk."""
        self.safe, self.flushed = True, dict(self.live)
        self.pending.clear()


@attrs.define
class Disk:
    """What takes place below ``root``, call by call; the process dies before the call of number ``dies_at``."""

    root: Path
    calls: list[Call] = attrs.field(factory=list)
    promises: list[tuple[int, Path]] = attrs.field(factory=list)
    dies_at: int | None = None

    def promise(self, path: Path) -> None:
        """Whoever wrote this file was told that it is kept: it survives any power cut from now on."""
        self.promises.append((len(self.calls), path.relative_to(self.root)))

    def at(self, count: int) -> Node:
        """The disk after so many calls."""
        top = Node(is_folder=True)
        for call in self.calls[:count]:
            _apply(top, self.root, call)
        return top

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Follow this process's calls; nothing is really flushed meanwhile."""
        names = ("open", "write", "fsync", "replace", "link", "unlink", "mkdir")
        before = [(os, name, getattr(os, name)) for name in names]
        before.append((together, "flush", together.flush))
        real = {name: function for _, name, function in before}
        paths: dict[int, Path] = {}

        def opened(path: Any, flags: int, *rest: Any, **options: Any) -> int:
            handle = self._done("create" if flags & os.O_CREAT else "", path, None, real["open"], path, flags, *rest)
            paths[handle] = Path(path)
            return int(handle)

        def flushed(handle: int) -> None:
            self._done("flush", paths[handle], None, os.fstat, handle)

        os.open, os.fsync = opened, flushed
        os.write = lambda handle, data: self._done("write", paths[handle], bytes(data), real["write"], handle, data)
        os.replace = lambda old, new: self._done("replace", new, Path(old), real["replace"], old, new)
        os.link = lambda old, new: self._done("link", new, Path(old), real["link"], old, new)
        os.unlink = lambda path: self._done("unlink", path, None, real["unlink"], path)
        os.mkdir = lambda path, mode=0o777: self._done("mkdir", path, None, real["mkdir"], path, mode)
        together.flush = lambda folder: self._done("flush all", folder, None, lambda: None)
        try:
            yield
        finally:
            for module, name, function in before:
                setattr(module, name, function)

    def _done(self, what: str, path: Any, more: Any, act: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Do it, and take it down where it succeeds and belongs to us."""
        if self.dies_at is not None and len(self.calls) >= self.dies_at:
            raise Killed
        result = act(*arguments, **options)
        if what and self.root in (Path(path), *Path(path).parents):
            self.calls.append((what, Path(path), more))
        return result


def survivors(folder: Node, chance: Chance, path: Path = Path()) -> Iterator[tuple[Path, bytes | None]]:
    """What is there after a power cut: the files' bytes, None for folders. ``chance`` decides what is not sure."""
    names = dict(folder.flushed)
    for change in folder.pending:
        if chance():
            _rename(names, change)
    for name, node in names.items():
        if node.is_folder:
            yield path / name, None
            yield from survivors(node, chance, path / name)
        else:
            yield path / name, node.data if node.safe or chance() else node.data[: len(node.data) // 2]


def put(found: Sequence[tuple[Path, bytes | None]], folder: Path) -> None:
    """Make a folder that holds what has survived."""
    folder.mkdir()
    for path, data in found:
        if data is None:
            (folder / path).mkdir()
        else:
            (folder / path).write_bytes(data)


def _apply(top: Node, root: Path, call: Call) -> None:
    what, path, more = call
    name = path.name
    match what:
        case "create" | "mkdir":
            _find(top, root, path.parent).change({name: Node(is_folder=what == "mkdir")})
        case "write":
            _find(top, root, path).data += more
        case "flush":
            _find(top, root, path).flush()
        case "flush all":
            _flush_all(top)
        case "replace":
            _find(top, root, path.parent).change({more.name: None, name: _find(top, root, more)})
        case "link":
            _find(top, root, path.parent).change({name: _find(top, root, more)})
        case "unlink":
            _find(top, root, path.parent).change({name: None})


def _find(top: Node, root: Path, path: Path) -> Node:
    node = top
    for part in path.relative_to(root).parts:
        node = node.live[part]
    return node


def _rename(names: dict[str, Node], change: dict[str, "Node | None"]) -> None:
    for name, node in change.items():
        if node is None:
            names.pop(name, None)
        else:
            names[name] = node


def _flush_all(node: Node) -> None:
    node.flush()
    for inner in node.live.values():
        _flush_all(inner)
