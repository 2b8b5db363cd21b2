"""Where installed data sets are."""

from collections.abc import Mapping
from pathlib import Path

from harness.errors import UsageError


def data_dir(chosen: str | None, env: Mapping[str, str]) -> Path:
    """The folder that is named, else ``hermetic-harness`` in the user's data folder (XDG Base Directory).

    Raises UsageError where there is no home folder to look in.
    """
    if chosen is not None:
        return Path(chosen).absolute()
    base = Path(env.get("XDG_DATA_HOME", ""))
    if base.is_absolute():  # the specification has others passed over
        return base / "hermetic-harness"
    try:
        return Path.home() / ".local" / "share" / "hermetic-harness"
    except RuntimeError:
        raise UsageError("This user has no home folder to keep data in. Name one with HARNESS_DATA_DIR.") from None
