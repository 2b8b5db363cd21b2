"""Values with their sources, as one object each."""

from pathlib import Path

import pytest

from harness.run.settings.resolve import resolve
from harness.run.settings.sources import Sourced, keys, sourced
from harness.run.settings.table import SETTINGS


def _found(name: str, flags: dict[str, str], env: dict[str, str], file: dict[str, str], *pairs: str) -> Sourced:
    (one,) = (one for one in sourced(resolve(flags, env, file), pairs, "s.toml") if one.name == name)
    return one


@pytest.mark.parametrize(
    ("flags", "env", "file", "pairs", "origin", "source"),
    [
        ({"policy_model": "a"}, {"POLICY_MODEL": "b"}, {"policy_model": "c"}, (), "flag", "--policy-model"),
        (
            {"policy_model": "a"},
            {"POLICY_MODEL": "b"},
            {"policy_model": "c"},
            ("policy_model",),
            "pair",
            "++policy_model",
        ),
        ({}, {"POLICY_MODEL": "a"}, {"policy_model": "c"}, (), "environment", "$POLICY_MODEL"),
        ({}, {}, {"policy_model": "a"}, (), "file", "s.toml"),
    ],
)
def test_the_first_that_says_something_is_the_source(
    flags: dict[str, str], env: dict[str, str], file: dict[str, str], pairs: tuple[str, ...], origin: str, source: str
) -> None:
    one = _found("policy_model", flags, env, file, *pairs)
    assert (one.value, one.origin, one.source) == ("a", origin, source)


def test_a_default_has_no_source() -> None:
    for one, setting in zip(sourced(resolve({}, {}, {}), (), None), SETTINGS, strict=True):
        assert (one.name, one.origin, one.source) == (setting.name, "default", None)
        assert one.value == one.default


def test_the_path_of_a_key_file_is_shown_only_where_it_is_one(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("sk-1")
    assert _found("policy_api_key_file", {"policy_api_key_file": str(file)}, {}, {}).value == str(file)
    assert "sk-1" not in str(_found("policy_api_key_file", {"policy_api_key_file": "sk-1"}, {}, {}))


def test_a_file_goes_before_a_variable() -> None:
    env = {"POLICY_API_KEY": "sk-1", "JUDGE_API_KEY": "sk-2"}
    found = {one.role: one.source for one in keys(resolve({"judge_api_key_file": "f"}, {}, {}), env)}
    assert found == {"policy": "$POLICY_API_KEY", "judge": "judge_api_key_file"}
