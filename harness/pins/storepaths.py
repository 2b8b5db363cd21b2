"""Store paths and all that they need, as Nix's database tells of them."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs

import harness
from harness.errors import HarnessError, HostUnfitError
from harness.pins import nix

STORE = Path("/nix/store")

# Nix's base 32 and the signs of a name.
_FORM = re.compile(r"/nix/store/([0-9a-df-np-sv-z]{32})-[0-9a-zA-Z+\-_?=][0-9a-zA-Z+\-._?=]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@attrs.frozen(order=True)
class StorePath:
    """A path in the store; ``nar_size`` in bytes, ``nar_sha256`` hexadecimal, ``references``: paths, sorted."""

    path: str
    nar_sha256: str
    nar_size: int
    references: tuple[str, ...]

    @property
    def hash_part(self) -> str:
        """The 32 signs before the name."""
        return hash_part(self.path)


def hash_part(path: str) -> str:
    """The 32 signs before the name; raises HarnessError for what is no store path."""
    found = _FORM.fullmatch(path)
    if found is None:
        raise HarnessError(f"{path!r} is no store path.")
    return found[1]


def top(path: Path) -> Path | None:
    """The store path that a file is in; None outside of the store."""
    real = path.resolve()
    return STORE / real.relative_to(STORE).parts[0] if real.is_relative_to(STORE) and real != STORE else None


def own() -> Path:
    """The package that this process runs out of; raises HostUnfitError where that is not in the store."""
    package = top(Path(harness.__file__))
    if package is None:
        raise HostUnfitError("This harness does not run out of the Nix store.", "Start it by `nix run`.")
    return package


def closure(paths: Iterable[Path]) -> tuple[StorePath, ...]:
    """The store paths with everything that they refer to, sorted; raises HarnessError where one is not in the store."""
    asked = sorted(map(str, paths))
    needed = sorted(set(nix.store("--query", "--requisites", *asked).split()))
    return tuple(sorted(parse(nix.store("--dump-db", *needed))))


def parse(told: str) -> Iterator[StorePath]:
    """Reads what ``nix-store --dump-db`` prints: for each path lines with the path, digest and size of its NAR, the
    derivation, the number of references, and these.

    Raises HarnessError for anything else.
    """
    lines = iter(told.splitlines())
    try:
        for path in lines:
            sha256, size, _deriver, count = _sha256(next(lines)), int(next(lines)), next(lines), int(next(lines))
            references = tuple(sorted(next(lines) for _ in range(count)))
            for each in (path, *references):
                hash_part(each)
            yield StorePath(path, sha256, size, references)
    except (StopIteration, ValueError, RuntimeError) as error:
        raise HarnessError("nix-store --dump-db printed what no release of Nix is known to print.") from error


def _sha256(text: str) -> str:
    if _SHA256.fullmatch(text) is None:
        raise ValueError(text)
    return text
