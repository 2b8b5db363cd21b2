"""Files that environment variables name and that the account can't read where they are: it gets a copy."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from account import Account, HandoverError, run_as

_VARIABLES = ("BABYVISION_ZIP", "BABYVISION_PARQUET", "SSL_CERT_FILE")


def hand_over(environment: Mapping[str, str], account: Account, folder: Path) -> dict[str, str]:
    """Return these variables with paths that hold for the account; relative ones start in the caller's folder."""
    return {
        name: str(_readable(Path(environment[name]).absolute(), account, folder / name))
        for name in _VARIABLES
        if environment.get(name)
    }


def _readable(path: Path, account: Account, folder: Path) -> Path:
    try:
        run_as(account, lambda: path.open("rb").close())
    except HandoverError:
        if not path.is_file():
            return path  # the command says what is wrong with it
    else:
        return path
    copy = folder / path.name
    with path.open("rb") as original:
        status = os.fstat(original.fileno())

        def receive() -> None:
            if copy.exists() and (copy.stat().st_size, copy.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns):
                return
            folder.mkdir(parents=True, exist_ok=True)
            part = folder / f".{path.name}.part"
            with part.open("wb") as target:
                shutil.copyfileobj(original, target, 1 << 20)
            os.utime(part, ns=(status.st_atime_ns, status.st_mtime_ns))
            part.replace(copy)

        run_as(account, receive)
    return copy
