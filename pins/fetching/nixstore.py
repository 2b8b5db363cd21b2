"""The Nix store: which pins it lacks, and putting them in."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fetching import files, seed, storepath
from fetching.catalog import Catalog, Pin
from fetching.problems import HostUnfitError, WrongBytesError
from fetching.progress import Progress

_COMMAND = "nix-store"
# Files in one call of nix-store: a start costs about 20 ms.
_GROUP = 40


def _nix_store(*arguments: str) -> str:
    if not shutil.which(_COMMAND):
        raise HostUnfitError("There is no nix-store on this machine: run nix/setup.sh as root, or install Nix.")
    check_owner()
    done = subprocess.run([_COMMAND, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise HostUnfitError(f"{storepath.store_folder()} can't be used. nix-store said:\n  {done.stderr.strip()}")
    return done.stdout


def check_owner() -> None:
    """What root writes into another user's store, that user can't collect as garbage later.

    Raises:
        HostUnfitError: this is root, and the store is another user's.
    """
    store = Path(storepath.store_folder())
    if os.geteuid() == 0 and store.exists() and (owner := store.stat().st_uid) != 0:
        try:
            name = pwd.getpwuid(owner).pw_name
        except KeyError:
            name = f"uid {owner}"
        raise HostUnfitError(f"{store} belongs to {name}: run this as that user. Root can run `pins/fetch --to DIR`.")


def missing(catalog: Catalog) -> tuple[list[Pin], bool]:
    """The pins that the store lacks, and whether it lacks the seed. Starts at most one process."""
    paths = [*(pin.path for pin in catalog.pins), catalog.seed.path]
    there = [path for path in paths if os.path.lexists(path)]
    # A path can be there without being valid, if it was being written when the machine stopped.
    invalid = set(_nix_store("--check-validity", "--print-invalid", *there).split()) if there else set()
    valid = set(there) - invalid
    return [pin for pin in catalog.pins if pin.path not in valid], catalog.seed.path not in valid


def add(found: Sequence[tuple[Pin, Path]]) -> None:
    """Put files into the store; Nix hashes them on its own, and its answer is compared.

    Raises:
        WrongBytesError: a file changed after it was checked.
    """
    progress = Progress("added to the store", len(found), sum(pin.size for pin, _ in found))
    for start in range(0, len(found), _GROUP):
        group = found[start : start + _GROUP]
        with tempfile.TemporaryDirectory() as folder:
            paths = [str(_under_store_name(pin, path, Path(folder))) for pin, path in group]
            added = _nix_store("--add-fixed", "sha256", *paths).split()
        for (pin, path), store_path in zip(group, added, strict=True):
            if store_path != pin.path:
                raise files.refuse(path, pin, str(path.parent))
            _is_there(store_path)
        progress.advance(len(group), sum(pin.size for pin, _ in group), group[-1][0].file)


def _is_there(path: str) -> None:
    """Nix adds nothing that its database lists, even if the file was deleted behind its back."""
    if not os.path.lexists(path):
        raise HostUnfitError(f"{path} is gone, but Nix's database still lists it: run `nix-store --verify`, then this.")


def _under_store_name(pin: Pin, path: Path, folder: Path) -> Path:
    """nix-store names what it adds after the file; store names allow fewer characters than file names."""
    if path.name == pin.store and not path.is_symlink():
        return path
    return Path(shutil.copyfile(path, folder / pin.store))


def add_seed(catalog: Catalog, deb: Path) -> None:
    """Put the seed into the store, cut out of its package.

    Raises:
        WrongBytesError: what came out is not the pinned seed.
    """
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, catalog.seed.name)
        seed.write(seed.program(deb), tree)
        added = _nix_store("--add-fixed", "--recursive", "sha256", str(tree)).strip()
    if added != catalog.seed.path:
        raise WrongBytesError(f"The seed out of {deb} is not the pinned one: pinned {catalog.seed.path}, made {added}.")
    _is_there(added)
