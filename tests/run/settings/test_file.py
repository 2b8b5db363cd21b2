"""A settings file: flat names, tables, types, and what is refused by file and key."""

import os
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.run.settings.file import read_file
from harness.run.settings.resolve import resolve


def written(folder: Path, content: str) -> Path:
    path = folder / "s.toml"
    path.write_text(content)
    return path


def test_names_stand_flat_or_in_tables(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        demo = true
        jobs = 2
        tasks = ["1", 7]
        [policy]
        base_url = "http://h/v1"
        model_name = "m"
        [judge]
        temperature = 0.5
        [sampling]
        temperature = 0.7
        top_p = 1
        """,
    )
    settings = resolve({}, {}, read_file(path))
    wanted = {
        "demo": True,
        "jobs": 2,
        "tasks": ("1", "7"),
        "policy_base_url": "http://h/v1",
        "policy_model": "m",
        "judge_temperature": 0.5,
        "temperature": 0.7,
        "top_p": 1.0,
    }
    assert {name: settings[name] for name in wanted} == wanted
    assert {settings.origins[name] for name in wanted} == {"file"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("a = " + "[" * 5000, "is no TOML"),
        ("limit = " + "9" * 6000, "is no TOML"),
        ("jobs = ", "is no TOML"),
        ("jobs = [1]", "jobs: must be a plain value"),
        ("jobs = true", "jobs: can't be true or false"),
        ("jobs = 2.5", "jobs: must be a whole number"),
        ("demo = 1", "demo: must be true or false"),
        ('demo = "true"', "demo: must be true or false"),
        ("timeout = nan", "timeout: must be a number"),
        ("timeout = 2026-01-01", "timeout: must be a plain value"),
        ("[policy]\nmodle = 'm'", "policy.modle: There is no setting 'policy_modle'. Did you mean 'policy_model'"),
        ("[sampling]\njobs = 1", "sampling.jobs: There is no setting 'sampling_jobs'"),
        ("[policy.base]\nurl = 'http://h'", "policy.base: There is no setting 'policy_base'"),
        ("policy_model = 'a'\n[policy]\nmodel = 'b'", "policy.model: policy_model is given twice"),
        ("policy_api_key = 'sk-marked-secret'", "policy_api_key: policy_api_key can't be given here"),
        ("[policy]\napi_key = 'sk-marked-secret'", "policy.api_key: policy_api_key can't be given here"),
        ("policy_base_url = 'http://me:sk-marked-secret@h'", "policy_base_url: must not hold a user"),
    ],
)
def test_what_is_wrong_is_named_by_file_and_key(tmp_path: Path, content: str, reason: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(UsageError) as caught:
        read_file(path)
    assert str(path) in str(caught.value)
    assert reason in str(caught.value)
    assert "marked" not in str(caught.value)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"#" * ((1 << 20) + 1))
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for name, reason in {
        "none": "No such file",
        "pipe": "no plain file",
        ".": "no plain file|Is a directory",
        "large": "larger than 1024 KiB",
        "binary": "is no TOML",
    }.items():
        with pytest.raises(UsageError, match=reason):
            read_file(tmp_path / name)
