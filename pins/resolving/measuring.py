"""What only the file itself tells: a wheel's size, and the hash of the seed."""

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fetching import files, seed
from fetching.catalog import SEED_PACKAGE, Pin
from fetching.clients import CLIENTS
from fetching.problems import PinsError, WrongBytesError
from resolving.entries import Entries, Entry


def _fetched(kind: str, entries: Sequence[Entry], folder: Path) -> list[Path]:
    pins = [
        Pin(kind, each["name"], each["version"], each["file"], each["store"], 0, each["sha256"]) for each in entries
    ]
    complaint = CLIENTS[kind].download(pins, folder)
    if complaint:
        raise PinsError(f"Could not get {', '.join(pin.file for pin in pins)}: {complaint}")
    paths = [folder / pin.file for pin in pins]
    for path, pin in zip(paths, pins, strict=True):
        if files.sha256(path) != pin.sha256:
            raise WrongBytesError(f"{pin.file} has sha256 {files.sha256(path)}, its index says {pin.sha256}.")
    return paths


def add_sizes(wheels: Entries, known: Entries) -> None:
    """Give each wheel its size in bytes, out of ``known`` where the hash is the same."""
    sizes = {entry["sha256"]: entry["size"] for entry in known.values()}
    new = [entry for entry in wheels.values() if entry["sha256"] not in sizes]
    if new:
        with tempfile.TemporaryDirectory() as folder:
            for entry, path in zip(new, _fetched("wheel", new, Path(folder)), strict=True):
                sizes[entry["sha256"]] = path.stat().st_size
    for entry in wheels.values():
        entry["size"] = sizes[entry["sha256"]]


def seed_sha256(debs: Entries, known: Entries, sha256: str) -> str:
    """Hash of the seed's NAR: ``sha256`` as long as its package is the known one."""
    package = debs[SEED_PACKAGE]
    if SEED_PACKAGE in known and known[SEED_PACKAGE]["sha256"] == package["sha256"]:
        return sha256
    with tempfile.TemporaryDirectory() as folder:
        (deb,) = _fetched("deb", [package], Path(folder))
        return hashlib.sha256(seed.nar(seed.program(deb))).hexdigest()
