"""Settings: where a value comes from, Gym's names, and what is refused."""

import pytest

from harness.errors import UnknownNameError, UsageError
from harness.run.settings.means import judge_settings
from harness.run.settings.resolve import gym_pair, resolve
from harness.run.settings.table import SETTINGS


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
        ("jobs", "0", "from 1 to 1000"),
        ("policy", "R", "must be replay:PATH"),
        ("policy", "replay:", "must be replay:PATH"),
        ("policy", "http://h/v1", "an endpoint is set by policy_base_url"),
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
        ("run", "", "is empty"),
        ("instruction", "a\0b", "zero byte"),
        ("top_p", "1.5", "from 0 to 1"),
        ("presence_penalty", "nan", "from -2 to 2"),
        ("seed", "1e3", "whole number"),
        ("max_tokens_field", "tokens", "one of max_tokens, max_completion_tokens"),
        ("cpus", "0.001", "from 0.1"),
        ("memory_mib", "1" * 15, "from 64"),
        ("jobs", "9" * 15, "from 1 to 1000"),
        ("repeats", "9" * 12, "from 1 to 10000"),
        ("timeout", "\u0663\u0660", "must be a number"),
        ("timeout", "1_0", "must be a number"),
        ("first_call", "1e308", "at most 31536000"),
        ("temperature", "x" * 100_000, r"x\.\.\.'"),
    ],
)
def test_a_bad_value_is_refused_with_the_reason(name: str, value: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        resolve({name: value}, {}, {})


def test_a_password_in_an_address_is_not_shown() -> None:
    with pytest.raises(UsageError) as caught:
        resolve({"policy_base_url": "http://me:marked-secret@h/v1"}, {}, {})
    assert "marked-secret" not in str(caught.value)


def test_a_value_given_twice_is_not_shown() -> None:
    with pytest.raises(UsageError) as caught:
        resolve({"policy_base_url": "http://a:marked-secret@h", "policy_model": "m", "policy_model_name": "n"}, {}, {})
    assert "policy_model is given twice" in str(caught.value)
    assert "marked-secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["policy_api_key", "judge_api_key", "openai_api_key", "OPENAI_API_KEY", "api_key"])
def test_a_key_is_no_value_and_is_never_shown(name: str) -> None:
    with pytest.raises(UsageError, match="can't be given here") as caught:
        resolve(dict([gym_pair(f"++{name}=sk-marked-secret")]), {}, {})
    assert "marked" not in str(caught.value)
    with pytest.raises(UsageError, match="Unexpected argument") as caught:
        gym_pair(f"{name}=sk-marked-secret")
    assert "marked" not in str(caught.value)


def test_gyms_file_of_rollouts_is_our_folder() -> None:
    assert resolve(dict([gym_pair("++output_jsonl_fpath=results/a.jsonl")]), {}, {})["run"] == "results/a"
    assert resolve({"run": "a.jsonl"}, {}, {})["run"] == "a.jsonl"


def test_every_default_is_what_its_own_reader_gives() -> None:
    for setting in SETTINGS:
        if setting.default is not None:
            assert setting.parse(str(setting.default)) == setting.default, setting.name


def test_the_judges_sampling_can_be_left_out() -> None:
    settings = resolve({"judge_temperature": "none", "judge_top_p": "none"}, {}, {})
    asked = judge_settings(settings, "m").to_json()
    assert asked == {"model": "m", "max_tokens": 1024}
    newer = resolve({"judge_max_tokens_field": "max_completion_tokens"}, {}, {})
    assert judge_settings(newer, "m").to_json()["max_completion_tokens"] == 1024
