"""Settings: where a value comes from, Gym's names, and what is refused."""

from pathlib import Path

import pytest

from harness.errors import UnknownNameError, UsageError
from harness.run.settings import gym_pair, read_file, resolve


def test_flags_go_over_environment_over_file_over_defaults() -> None:
    env, file = {"POLICY_MODEL": "from-env"}, {"policy_model": "from-file", "jobs": "3"}
    settings = resolve({"policy_model": "from-flag"}, env, file)
    assert (settings["policy_model"], settings.origins["policy_model"]) == ("from-flag", "flag")
    settings = resolve({}, env, file)
    assert (settings["policy_model"], settings.origins["policy_model"]) == ("from-env", "environment")
    assert (settings["jobs"], settings.origins["jobs"]) == (3, "file")
    assert (settings["timeout"], settings.origins["timeout"]) == (1800.0, "default")


def test_gyms_names_are_aliases() -> None:
    settings = resolve(dict([gym_pair("++policy_model_name=m"), gym_pair("++policy_base_url=http://h/v1/")]), {}, {})
    assert (settings["policy_model"], settings["policy_base_url"]) == ("m", "http://h/v1")


def test_two_names_of_one_setting_must_agree() -> None:
    with pytest.raises(UsageError, match="policy_model is given twice"):
        resolve({"policy_model": "a", "policy_model_name": "b"}, {}, {})


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'policy_model'"):
        resolve({"polcy_model": "a"}, {}, {})


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("jobs", "0", "at least 1"),
        ("jobs", "two", "whole number"),
        ("timeout", "nan", "number from 0"),
        ("timeout", "0", "above 0"),
        ("shard", "4/4", "I/N"),
        ("tasks", "a,,b", "empty name"),
        ("tasks", "a,a", "twice"),
        ("policy_base_url", "http://me:secret@h/v1", "user or password"),
        ("policy_base_url", "h/v1", "http://"),
        ("policy_base_url", "http://h/v1\x07", "no web address"),
        ("policy_base_url", "http://h:port/v1", "no web address"),
        ("demo", "yes", "true or false"),
    ],
)
def test_a_bad_value_is_refused_with_the_reason(name: str, value: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        resolve({name: value}, {}, {})


def test_a_file_gives_plain_values(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('demo = true\njobs = 2\npolicy_model = "m"\n')
    assert read_file(tmp_path / "s.toml") == {"demo": "true", "jobs": "2", "policy_model": "m"}


@pytest.mark.parametrize(
    "content", ["a = " + "[" * 5000, "limit = " + "9" * 6000, "jobs = [1]", "[policy]\nmodel = 'm'", "jobs = "]
)
def test_a_bad_file_is_refused_by_name(tmp_path: Path, content: str) -> None:
    (tmp_path / "s.toml").write_text(content)
    with pytest.raises(UsageError, match=r"s\.toml"):
        read_file(tmp_path / "s.toml")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml"):
        read_file(tmp_path / "none.toml")


def test_a_password_in_an_address_is_not_shown() -> None:
    with pytest.raises(UsageError) as caught:
        resolve({"policy_base_url": "http://me:marked-secret@h/v1"}, {}, {})
    assert "marked-secret" not in str(caught.value)
