"""How much of a tree or a tar is read."""

import attrs

NAME_MAX = 255  # bytes of one name on Linux's filesystems
PATH_MAX = 4095  # bytes of a path that Linux takes


@attrs.frozen(field_transformer=lambda _, fields: [one.evolve(validator=attrs.validators.gt(0)) for one in fields])
class Limits:
    """What one tree or tar may have.

    ``file`` and ``total``: bytes of one file and of all, by the sizes that they claim, so that a sparse file counts as
    if it were full. ``entries``: files, folders and whatever else has a name. ``depth``: names in one path.
    ``name`` and ``path``: bytes of one name and of a whole path.
    """

    file: int
    total: int
    entries: int
    depth: int
    name: int = NAME_MAX
    path: int = PATH_MAX


class Count:
    """What was met of a tree or tar so far."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._entries = 0
        self._total = 0

    def add(self, path: bytes, size: int) -> str | None:
        """One more entry of ``size`` bytes; why it goes beyond a limit, if so."""
        limits = self._limits
        self._entries += 1
        self._total += size
        names = path.rstrip(b"/").split(b"/")
        if self._entries > limits.entries:
            return f"there are more than {limits.entries:,} files and folders"
        if size > limits.file:
            return f"a file has {size:,} bytes; at most {limits.file:,} are read"
        if self._total > limits.total:
            return f"the files have more than {limits.total:,} bytes together"
        if len(path) > limits.path or len(max(names, key=len)) > limits.name:
            return f"a name is too long: {len(path):,} bytes"
        if len(names) > limits.depth:
            return f"folders are nested more than {limits.depth} deep"
        return None
