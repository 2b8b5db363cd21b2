"""Holding what ``--json`` printed against the schema of its command."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from jsonschema import Draft202012Validator

from harness.cli import schemas

# Commands whose object's schema goes by an option or an argument too.
_GROUPS: Final = ("slurm",)
_DATA: Final = {"fetch": "data", "add": "data", "status": "data-status"}


def check(name: str, value: Any) -> Any:
    """Gives ``value`` back; raises AssertionError with the place in it where it is not as the schema says."""
    validator = Draft202012Validator(schemas.bundled(name), format_checker=Draft202012Validator.FORMAT_CHECKER)
    problems = sorted(validator.iter_errors(value), key=lambda error: error.json_path)
    assert not problems, "\n".join(f"{name}: {error.json_path}: {error.message[:300]}" for error in problems)
    return value


def schema_of(arguments: Sequence[str], value: Mapping[str, Any]) -> str:
    """Which schema the object of a command line has."""
    command, *rest = arguments
    if command == "show":
        return "show" if "rollouts" in value else "show-rollout"
    if command == "rescore" and "--check" in rest:
        return "rescore-check"
    if command == "bundle" and "--squashfs" in rest:
        return "bundle-squashfs"
    if command == "data":
        return _DATA.get(rest[0]) or ("data-check" if "folder" in value else "data-check-file")
    return f"{command}-{rest[0]}" if command in _GROUPS else command
