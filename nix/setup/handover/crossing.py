"""Moving one entry between a folder of root's and a folder of the account's, also from one filesystem to another.

On one filesystem that is a rename. Else the account itself copies, through a *gate*: a folder of its own that root
makes beside the entry, for the account may be able to reach neither the checkout nor the folders above it.
"""

import contextlib
import errno
import os
import subprocess
from collections.abc import Iterator

from account import Account, HandoverError, run_as
from folder import Folder, free_name, inner

_GATE = ".hermetic-gate"
_PART = ".hermetic-part"


def move_in(checkout: Folder, name: str, work: Folder, account: Account) -> None:
    """Move an entry to the same name in the work folder, where it is free."""
    if _renamed(checkout, name, work, name):
        return

    def copy() -> None:
        os.fchdir(gate.fd)
        _run("rm", "-rf", "--", str(work.path / _PART))
        _run("cp", "-a", "--reflink=auto", "--", f"./{name}", str(work.path / _PART))
        (work.path / _PART).rename(work.path / name)

    with _gate(checkout, account) as gate:
        os.rename(name, name, src_dir_fd=checkout.fd, dst_dir_fd=gate.fd)
        run_as(account, copy)
        _delete(gate, name)


def move_back(work: Folder, name: str, checkout: Folder, new_name: str, account: Account) -> None:
    """Move an entry to a name in the checkout that is free, or an empty folder."""
    if _renamed(work, name, checkout, new_name):
        return

    def copy() -> None:
        os.fchdir(gate.fd)
        _run("cp", "-a", "--reflink=auto", "--", str(work.path / name), f"./{_PART}")

    with _gate(checkout, account) as gate:
        run_as(account, copy)
        os.rename(_PART, new_name, src_dir_fd=gate.fd, dst_dir_fd=checkout.fd)
    _delete(work, name)


def recover(checkout: Folder) -> None:
    """Take back what a call that was killed left in its gate: an entry whole, of a copy nothing."""
    if _GATE not in checkout.names():
        return
    with inner(checkout, _GATE) as gate:
        for name in gate.names():
            if name == _PART:
                _delete(gate, name)
            else:
                new_name = free_name(name, checkout.names()) if name in checkout.names() else name
                os.rename(name, new_name, src_dir_fd=gate.fd, dst_dir_fd=checkout.fd)
    os.rmdir(_GATE, dir_fd=checkout.fd)


@contextlib.contextmanager
def _gate(checkout: Folder, account: Account) -> Iterator[Folder]:
    os.mkdir(_GATE, 0o700, dir_fd=checkout.fd)
    try:
        with inner(checkout, _GATE) as gate:
            os.chown(gate.fd, account.uid, account.gid)
            yield gate
    finally:
        recover(checkout)


def _renamed(source: Folder, name: str, target: Folder, new_name: str) -> bool:
    try:
        os.rename(name, new_name, src_dir_fd=source.fd, dst_dir_fd=target.fd)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return False
    return True


def _delete(folder: Folder, name: str) -> None:
    # rm itself follows no link below the folder, and the folder is the open one.
    subprocess.run(["rm", "-rf", "--", f"./{name}"], preexec_fn=lambda: os.fchdir(folder.fd), check=True)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        raise HandoverError(done.stderr.decode(errors="replace").strip().splitlines()[-1])
