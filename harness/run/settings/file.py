"""A settings file: TOML with the settings' names, flat or in tables."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from harness.errors import UsageError
from harness.run.settings.files import read_plain
from harness.run.settings.table import SAMPLING, setting_of
from harness.run.settings.values import names

LARGEST: Final = 1 << 20  # bytes
CLUSTER: Final = "slurm"  # the table that holds no settings of a run


def read_file(path: Path) -> dict[str, str]:
    """The settings of a TOML file, as text by name.

    ``[policy] base_url`` is ``policy_base_url``, and so for every table; in ``[sampling]`` the names stand as they
    are, and the table ``[slurm]`` is passed over: it is the cluster's (`harness.run.slurm.knobs`). Raises UsageError,
    which names the file and the key, for a file that can't be read, an unknown name or a value that the setting
    doesn't take.
    """
    data = read_plain(path, "The settings file", LARGEST)
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The settings file {path} is no TOML: {error}") from None
    found: dict[str, str] = {}
    for key, name, value in _flat(table):
        try:
            setting = setting_of(name)
            text = _text(value, is_flag=setting.is_flag, is_list=setting.parse is names)
            setting.parse(text)
        except (UsageError, TypeError, ValueError) as error:
            raise UsageError(f"{path}: {key}: {error}") from None
        if name in found:
            raise UsageError(f"{path}: {key}: {name} is given twice.")
        found[name] = text
    return found


def _flat(table: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Each value with its key in the file and the setting's name."""
    for key, value in table.items():
        if key == CLUSTER and isinstance(value, Mapping):
            continue
        if not isinstance(value, Mapping):
            yield key, key, value
            continue
        for inner, inner_value in value.items():
            plain = key == "sampling" and inner in SAMPLING
            yield f"{key}.{inner}", inner if plain else f"{key}_{inner}", inner_value


def _text(value: Any, *, is_flag: bool, is_list: bool) -> str:
    """A value as a flag would give it; raises TypeError or ValueError where the setting can't have it."""
    if is_list and isinstance(value, list) and all(isinstance(item, str | int) for item in value):
        return ",".join(map(str, value))
    if isinstance(value, bool) != is_flag:
        raise ValueError("must be true or false, without quotes" if is_flag else "can't be true or false")
    if not isinstance(value, str | int | float):
        raise TypeError("must be a plain value: text in quotes or a number")
    try:
        return str(value).lower() if is_flag else str(value)
    except ValueError:  # a whole number with thousands of digits
        raise ValueError("is too large a number") from None
