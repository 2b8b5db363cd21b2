"""Where settings come from, and that no key is shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.run.settings.table import SECTIONS, SETTINGS
from tests.schemas import check

KEY = "sk-very-secret"


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*(setting.env for setting in SETTINGS if setting.env), "POLICY_API_KEY", "JUDGE_API_KEY"]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def found(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs ``harness config --json`` and gives its object."""

    def read(*argv: str, status: int = 0) -> Any:
        assert run(["config", *argv, "--json"]) == status
        value = json.loads(capsys.readouterr().out)
        check("config", value)
        return value

    return read


def _by_name(value: Any) -> dict[str, Any]:
    return {one["name"]: one for one in value["settings"]}


def test_each_value_has_its_source(found: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text("jobs = 3\nlimit = 5\n[sampling]\ntemperature = 0.5\n")
    monkeypatch.setenv("JUDGE_MODEL", "from-env")
    value = _by_name(found("--config", str(file), "--jobs", "7", "++policy_model_name=m"))
    told = {name: (value[name]["value"], value[name]["origin"], value[name]["source"]) for name in value}
    assert told["jobs"] == (7, "flag", "--jobs")
    assert told["policy_model"] == ("m", "pair", "++policy_model")
    assert told["judge_model"] == ("from-env", "environment", "$JUDGE_MODEL")
    assert told["limit"] == (5, "file", str(file))
    assert told["temperature"] == (0.5, "file", str(file))
    assert told["repeats"] == (1, "default", None)


def test_every_setting_is_there_in_its_section(found: Any) -> None:
    told = [(one["section"], one["name"]) for one in found()["settings"]]
    assert told == [(section, setting.name) for section, settings in SECTIONS.items() for setting in settings]


def test_changed_leaves_out_defaults_and_section_all_others(found: Any) -> None:
    assert list(_by_name(found("--jobs", "2", "--changed"))) == ["jobs"]
    assert list(_by_name(found("--jobs", "2", "--changed", "--section", "judge"))) == []
    assert {one["section"] for one in found("--section", "sandbox")["settings"]} == {"Sandbox"}


def test_values_stand_as_they_are_given(found: Any) -> None:
    value = _by_name(found("--tasks", "3,1", "--shard", "1/4", "--policy", "replay:R", "--demo"))
    assert [value[name]["value"] for name in ("tasks", "shard", "policy", "demo")] == [
        ["3", "1"],
        "1/4",
        "replay:R",
        True,
    ]


@pytest.mark.parametrize("as_json", [True, False])
def test_a_key_is_set_and_never_shown(
    as_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POLICY_API_KEY", KEY)
    assert run(["config", "--judge-api-key-file", KEY, *(["--json"] if as_json else [])]) == 0
    captured = capsys.readouterr()
    assert KEY not in captured.out + captured.err
    assert "$POLICY_API_KEY" in captured.out
    assert "judge_api_key_file" in captured.out


def test_openais_key_counts_only_where_it_would_be_sent(found: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    judge = [
        found("--judge-base-url", url)["keys"][1]["source"] for url in ("https://api.openai.com/v1", "https://other/v1")
    ]
    assert judge == ["$OPENAI_API_KEY", None]


def test_what_eval_would_refuse_is_said_with_its_status(found: Any, capsys: pytest.CaptureFixture[str]) -> None:
    value = found("babyvision", status=2)
    assert "policy_base_url is missing" in value["problem"]
    assert found("babyvision", "--demo")["problem"] is None
    assert run(["config", "babyvision"]) == 2
    assert "policy_base_url is missing" in capsys.readouterr().err


def test_a_file_of_ones_own_is_run_and_its_tasks_are_not_made(found: Any, tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    made = (
        "from harness.api import Benchmark\nbenchmark = Benchmark(name='own', tasks=lambda: 1 / 0, {}=lambda *_: 'a')\n"
    )
    file.write_text(made.format("demo"))
    assert found(str(file), "--demo")["problem"] is None
    file.write_text(made.format("dmeo"))
    assert "own.py, line 2: TypeError: Benchmark has no field 'dmeo'" in found(str(file), "--demo", status=2)["problem"]


def test_a_pair_may_stand_without_a_benchmark(found: Any) -> None:
    value = found("++jobs=2", "++limit=3")
    assert value["benchmark"] is None
    assert {name: one["value"] for name, one in _by_name(value).items() if one["origin"] == "pair"} == {
        "jobs": 2,
        "limit": 3,
    }


def test_a_flag_and_a_pair_that_differ_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "--jobs", "2", "++jobs=3"]) == 2
    assert "jobs is given twice" in capsys.readouterr().err


def test_an_unknown_section_is_refused_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "--section", "samplng"]) == 2
    assert "Did you mean 'sampling'?" in capsys.readouterr().err


def test_for_people_there_is_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "--jobs", "2", "--changed"]) == 0
    heading, jobs, *_keys = capsys.readouterr().out.splitlines()
    assert heading.split() == ["section", "setting", "value", "from"]
    assert jobs.split() == ["Run", "jobs", "2", "--jobs"]
