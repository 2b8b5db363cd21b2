"""What this process runs on: the store paths of the harness and of all that it needs, each with its NAR's digest.

The build has written down what the harness is built over, since Nix may not be where it runs; the digest of the harness
itself, which no build can know of its own output, is that of its bytes as they are now.
"""

from pathlib import Path
from typing import Annotated, Final

import attrs
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

import harness
from harness.errors import HostUnfitError
from harness.pins import nar, storepaths

_LIST: Final = "share/closure.json"


@attrs.frozen(order=True)
class Part:
    """A store path, and the SHA-256 of its NAR, hexadecimal."""

    path: str
    nar_sha256: str


@attrs.frozen
class Running:
    """The harness's own store path, and all parts, sorted; None and none where it isn't one that was built."""

    package: Path | None
    parts: tuple[Part, ...]


class _Entry(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    path: Annotated[str, Field(pattern=r"^/nix/store/[0-9a-z]{32}-[0-9a-zA-Z+\-._?=]+$")]
    nar_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


_ENTRIES = TypeAdapter(list[_Entry])


def running() -> Running:
    """What this process runs on; raises HostUnfitError for a harness that is damaged."""
    package = storepaths.top(Path(harness.__file__))
    if package is None or not (package / _LIST).exists():  # a source tree, which may be in the store as well
        return Running(None, ())
    return Running(package, parts(package))


def parts(package: Path) -> tuple[Part, ...]:
    """A harness's own store path and those of all that it needs, sorted; raises HostUnfitError where it is damaged."""
    try:
        below = [Part(each.path, each.nar_sha256) for each in _ENTRIES.validate_json((package / _LIST).read_bytes())]
        return tuple(sorted([*below, Part(str(package), nar.digest(package))]))
    except (OSError, ValidationError) as error:
        raise HostUnfitError(
            f"The harness in {package} is damaged: {error}.", "Build it again by `nix build`."
        ) from error
