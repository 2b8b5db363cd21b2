"""Downloads of many pins into one folder: in batches, a few clients at a time; each file that is right is kept."""

import contextlib
import fcntl
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fetching import files
from fetching.catalog import KINDS, Pin
from fetching.clients import CLIENTS
from fetching.problems import HostUnfitError, PinsError, WrongBytesError
from fetching.progress import Progress, say

# A client's start costs about a second, and what it has not finished when it is interrupted is lost.
BATCH_FILES = 16
BATCH_BYTES = 32_000_000
# After so many failures in a row the rest of a batch is not tried: the registry is not there.
GIVE_UP = 3
_STAGING = ".fetch-"
_PIP_MISMATCH = "DO NOT MATCH THE HASHES"
_LINES, _MISMATCH_LINES = 3, 6


def batches(pins: Sequence[Pin]) -> list[list[Pin]]:
    """The pins in lots of one kind, the largest files first, none above the limits unless it is a single file."""
    lots: list[list[Pin]] = []
    for kind in KINDS:
        lot: list[Pin] = []
        for pin in sorted((pin for pin in pins if pin.kind == kind), key=lambda pin: (-pin.size, pin.file)):
            if lot and (len(lot) == BATCH_FILES or sum(each.size for each in lot) + pin.size > BATCH_BYTES):
                lots.append(lot)
                lot = []
            lot.append(pin)
        if lot:
            lots.append(lot)
    return sorted(lots, key=lambda lot: -sum(pin.size for pin in lot))


def download(pins: Sequence[Pin], folder: Path, jobs: int) -> list[PinsError]:
    """Bring the pins into ``folder``, but for those that are there already; what could not be had is returned.

    Raises:
        HostUnfitError: a client that is needed is not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        _adopt_leftovers(pins, folder)
        wanted = [pin for pin in pins if not files.is_right(folder / pin.file, pin)]
        _need_clients(wanted)
        progress = Progress("fetched", len(wanted), sum(pin.size for pin in wanted))
        stop = threading.Event()
        with ThreadPoolExecutor(jobs) as pool:
            try:
                found = list(pool.map(lambda lot: _lot(lot, folder, progress, stop), batches(wanted)))
            except KeyboardInterrupt:
                stop.set()
                pool.shutdown(cancel_futures=True)
                raise
    return [problem for problems in found for problem in problems]


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Two fetches into one folder would take each other's unfinished files for leftovers."""
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another pins/fetch that is at work in {folder}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _adopt_leftovers(pins: Sequence[Pin], folder: Path) -> None:
    """Keep whole files that a fetch left behind which was ended in mid-batch."""
    for staging in folder.glob(_STAGING + "*"):
        for pin in pins:
            if files.is_right(staging / pin.file, pin):
                _keep(staging / pin.file, folder)
        shutil.rmtree(staging)


def _keep(arrived: Path, folder: Path) -> None:
    arrived.chmod(0o644)  # the store's owner is often somebody else
    arrived.replace(folder / arrived.name)


def _need_clients(pins: Sequence[Pin]) -> None:
    missing = []
    for kind in sorted({pin.kind for pin in pins}):
        try:
            CLIENTS[kind].command()
        except HostUnfitError as problem:
            missing.append(str(problem))
    if missing:
        raise HostUnfitError("\n".join(missing))


def _lot(lot: Sequence[Pin], folder: Path, progress: Progress, stop: threading.Event) -> list[PinsError]:
    complaint, rest, problems = _attempt(lot, folder, progress)
    if len(lot) == 1:
        return problems + [_failure(pin, complaint) for pin in rest]
    # One file that can't be had makes a client refuse the whole lot: find out which it is.
    in_a_row = 0
    for number, pin in enumerate(rest):
        if stop.is_set():  # the clients were interrupted as well, and that is why this one did not deliver
            break
        complaint, missed, wrong = _attempt([pin], folder, progress)
        problems += wrong + [_failure(pin, complaint) for pin in missed]
        in_a_row = in_a_row + 1 if missed else 0
        if in_a_row == GIVE_UP:
            untried = rest[number + 1 :]
            return problems + [_failure(pin, f"not tried, after {GIVE_UP} failures in a row") for pin in untried]
    return problems


def _attempt(lot: Sequence[Pin], folder: Path, progress: Progress) -> tuple[str, list[Pin], list[PinsError]]:
    """Ask the client once: its complaint, the pins that did not come, and a problem for each that came wrong."""
    problems: list[PinsError] = []
    missed, kept = [], []
    with tempfile.TemporaryDirectory(prefix=_STAGING, dir=folder) as name:
        staging = Path(name)
        complaint = CLIENTS[lot[0].kind].download(lot, staging)
        for pin in lot:
            arrived = staging / pin.file
            if files.is_right(arrived, pin):
                _keep(arrived, folder)
                kept.append(pin)
            elif arrived.is_file() and not complaint:
                problems.append(files.refuse(arrived, pin, CLIENTS[pin.kind].commands[0]))
            else:
                missed.append(pin)
    if kept:
        what = kept[0].file if len(kept) == 1 else f"{kept[0].file} and {len(kept) - 1} more"
        progress.advance(len(kept), sum(pin.size for pin in kept), what)
    return complaint, missed, problems


def _failure(pin: Pin, complaint: str) -> PinsError:
    client = CLIENTS[pin.kind]
    mismatch = _PIP_MISMATCH in complaint
    lines = complaint.splitlines()[-(_MISMATCH_LINES if mismatch else _LINES) :]
    said = "\n  ".join([f"{client.commands[0]} said:", *(lines or ["nothing, but delivered no file of that name"])])
    if mismatch:
        return WrongBytesError(f"Refused {pin.file}: it is not the file that was pinned, sha256 {pin.sha256}. {said}")
    return PinsError(f"Could not get {pin.file} ({pin.name} {pin.version}). {client.hint} {said}")
