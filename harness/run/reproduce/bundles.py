"""Installing the harness of a bundle (`harness.store.bundle`) by the bundle's own installer."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from harness.errors import StoreCorruptError, UsageError
from harness.run.reproduce import commands
from harness.store import atomic
from harness.store.bundle.contents import TOP
from harness.store.foreign.limits import Limits
from harness.store.foreign.plain import NotPlainError
from harness.store.foreign.removing import remove
from harness.store.foreign.spans import opened
from harness.store.foreign.tars import members
from harness.store.space import check_space

#: Of a whole bundle: the largest store path in one has 200 MiB, and there are some 500 with the pins.
LIMITS: Final = Limits(file=1 << 36, total=1 << 40, entries=1_000_000, depth=64)


def install(bundle: Path, wanted: Path, folder: Path, say: Callable[[str], None]) -> None:
    """Bring ``wanted``, a harness's store path, out of a bundle into the store.

    The installer's link to it comes to stand in ``folder``; the bundle is unpacked below it, and that is removed.

    Raises:
        UsageError: there is no bundle, or it holds another harness. StoreCorruptError: it is damaged. What the
        installer's exit status stands for.
    """
    folder = folder.absolute()  # the installer works in a folder of its own
    unpacked = folder / ".harness-bundle"  # what another program calls a folder of its own stays
    remove(unpacked)
    try:
        say(f"unpacking {bundle}")
        _unpack(bundle, unpacked)
        held = _harness(unpacked / TOP / "bundle.json", bundle)
        if held != str(wanted):
            raise UsageError(f"{bundle} holds another harness ({held}) than the one that made the run ({wanted}).")
        argv = ["sh", str(unpacked / TOP / "install"), "--to", str(folder / "bin"), "--data-dir", str(folder / "data")]
        commands.run(argv, [0], "The bundle's installer")
    finally:
        remove(unpacked)


def _unpack(bundle: Path, folder: Path) -> None:
    try:
        with opened(bundle, follow=True) as span, atomic.explained(folder):
            check_space(folder.parent, span.size)
            for member in members(span, LIMITS):
                path = folder / member.name
                if member.folder:
                    path.mkdir(parents=True, exist_ok=True)
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("xb") as file:
                    for piece in member.content.pieces():
                        file.write(piece)
    except NotPlainError as error:
        raise UsageError(f"{bundle} is no plain file: {error.strerror}.") from error
    except FileNotFoundError as error:
        raise UsageError(f"{bundle} is not there.") from error


def _harness(path: Path, bundle: Path) -> str:
    if not path.is_file():
        raise UsageError(f"{bundle} is no bundle of `harness bundle`: it holds no {TOP}/{path.name}.")
    try:
        found: Any = json.loads(path.read_bytes())
        return str(found["harness"])
    except (ValueError, KeyError, TypeError) as error:
        raise StoreCorruptError(f"{bundle} is damaged: its {path.name} names no harness.") from error
