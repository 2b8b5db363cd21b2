"""What was built out of the pins and is in use now, as the harness's wrapper names it."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import attrs

from harness.errors import HostUnfitError
from harness.pins.reading import read

_SHA256 = re.compile(r"[0-9a-f]{64}")


@attrs.frozen
class Closure:
    """Store paths of the container runtime and of the sandbox's rootfs, and two digests.

    The tree that a sandbox sees is ``rootfs / "root"``; ``rootfs_sha256`` is over its content, ``pins_sha256`` over all
    pins, both hexadecimal.
    """

    runtime: Path
    rootfs: Path
    rootfs_sha256: str
    pins_sha256: str


def closure(env: Mapping[str, str] = os.environ) -> Closure:
    """What HARNESS_RUNTIME, HARNESS_ROOTFS and HARNESS_PINS name.

    Raises:
        HostUnfitError: one is not set, or what it names is not there or not of the right form.
    """
    runtime, rootfs, pins = (_folder(env, name) for name in ("HARNESS_RUNTIME", "HARNESS_ROOTFS", "HARNESS_PINS"))
    return Closure(runtime, rootfs, _content_digest(rootfs), read(pins).sha256)


def _folder(env: Mapping[str, str], name: str) -> Path:
    value = env.get(name)
    if not value:
        raise HostUnfitError(f"{name} is not set.", "Start the harness by `nix run`, which sets it.")
    folder = Path(value)
    if not folder.is_dir():
        raise HostUnfitError(f"{name} names {folder}, which is not there.", "Build it again by `nix build`.")
    return folder


def _content_digest(rootfs: Path) -> str:
    file = rootfs / "sha256"
    try:
        text = file.read_text().strip()
    except OSError as error:
        raise HostUnfitError(
            f"{file} can't be read: {error.strerror}.", "Build the rootfs again by `nix build`."
        ) from error
    if _SHA256.fullmatch(text) is None:
        raise HostUnfitError(f"{file} holds no digest but {text[:80]!r}.", "Build the rootfs again by `nix build`.")
    return text
