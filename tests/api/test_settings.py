"""Settings as keyword arguments: the same names and values as the command line's."""

from pathlib import Path
from typing import Any

import pytest

from harness.api.settings import Settings, options
from harness.errors import UnknownNameError, UsageError
from harness.run.settings import values
from harness.run.settings.resolve import gym_pair, resolve
from harness.run.settings.table import SETTINGS

# What some way of reading a setting's text takes as Python's value.
SOME: dict[Any, Any] = {
    values.boolean: True,
    values.count: 0,
    values.fraction: 0.5,
    values.integer: -1,
    values.names: ("b", "a"),
    values.path: Path("/some/path"),
    values.positive: 7,
    values.replay: "replay:/R",
    values.seconds: 1.5,
    values.shard: (1, 4),
    values.share: 0.25,
    values.text: "some text",
    values.url: "http://h/v1",
}
CLOSURES = {"max_tokens_field": "max_tokens", "judge_max_tokens_field": "max_tokens"}


def read(words: list[str]) -> dict[str, Any]:
    """What the command line makes of such words."""
    flags = {}
    for word in words:
        name, _, value = word.removeprefix("--").partition("=")
        name, value = gym_pair(word) if word.startswith("++") else (name.replace("-", "_"), value)
        flags[name] = value
    return dict(resolve(flags, {}, {}).values)


def test_there_is_one_for_each_setting() -> None:
    assert set(Settings.__annotations__) == {setting.name for setting in SETTINGS}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_each_value_arrives(setting: Any, tmp_path: Path) -> None:
    value = SOME.get(setting.parse, CLOSURES.get(setting.name, setting.default or 1))
    if setting.name.endswith("_api_key_file"):
        value = tmp_path / "key"
        value.touch()
    found = read(options({setting.name: value}))[setting.name]
    expected = Path("/R") if setting.parse is values.replay else value
    assert found == (str(value) if isinstance(value, Path) else expected)


def test_none_leaves_a_setting_alone_and_a_text_is_taken_as_it_is() -> None:
    assert options({"limit": None, "tasks": "1,2", "judge_top_p": "none", "shard": "0/2"}) == [
        "--tasks=1,2",
        "--judge-top-p=none",
        "--shard=0/2",
    ]
    assert options({"demo": False}) == ["++demo=false"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"demo": "true"}, "demo must be True or False, not 'true'"),
        ({"limit": True}, "limit must be no bool"),
        ({"tasks": ["a", 1]}, r"tasks can't be \['a', 1\]"),
        ({"tasks": {"a": 1}}, r"tasks can't be .* \(dict\)"),
        ({"limit": [1]}, "limit can't be"),
        ({"policy_api_key": "sk-1"}, "policy_api_key can't be given here"),
    ],
)
def test_what_no_setting_takes(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        options(given)


@pytest.mark.parametrize("given", ["sk-1", b"sk-1", ["sk-1"], True])
def test_a_key_in_the_place_of_its_file_is_neither_shown_nor_passed_on(given: Any) -> None:
    with pytest.raises(UsageError, match=r"^policy_api_key_file names no file that is there") as caught:
        options({"policy_api_key_file": given})
    assert "sk-1" not in str(caught.value)


def test_a_name_that_is_no_setting_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'repeats'"):
        options({"repeat": 2})
