"""``harness slurm`` up to where Slurm itself is needed."""

import stat
from pathlib import Path

import pytest

from harness.cli.main import run

DEMO = ["babyvision", "--demo", "--demo-puzzles", "3", "--shards", "4"]


@pytest.fixture(autouse=True)
def _without_slurm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in (
        "POLICY_API_KEY",
        "JUDGE_API_KEY",
        "POLICY_BASE_URL",
        "JUDGE_BASE_URL",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
    ):
        monkeypatch.delenv(name, raising=False)


def test_print_shows_both_scripts_and_writes_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "site.toml"
    config.write_text('timeout = 600\n[slurm]\npartition = "gpu"\n')
    before = list(tmp_path.iterdir())
    words = ["slurm", "submit", *DEMO, "--run", "R", "--slots", "2", "--print", "--config", str(config)]
    assert run(words) == 0
    out = capsys.readouterr().out
    assert "%2\n" in out
    assert out.count("#SBATCH --partition=gpu") == 2
    assert f" slurm job babyvision --shards=4 --timeout=600 ++demo=true --demo-puzzles=3 --run={tmp_path}/R\n" in out
    assert f" rescore {tmp_path}/R --json\n" in out
    assert list(tmp_path.iterdir()) == before


def test_a_machine_without_slurm_is_unfit(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["submit", *DEMO, "--run", "R"], ["preflight"], ["status", "R"]):
        assert run(["slurm", *words]) == 4
    assert "no sbatch on PATH" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["submit", *DEMO], "--run DIR"),
        (["submit", *DEMO, "--run", "R", "--shard", "0/4"], "leave out --shard"),
        (["submit", "babyvison", *DEMO[1:], "--run", "R"], "Did you mean 'babyvision'"),
        (["submit", "babyvision", "--demo", "--run", "R"], "--shards"),
        (["job", *DEMO, "--run", "R"], "SLURM_ARRAY_TASK_ID"),
    ],
)
def test_bad_input_is_explained(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SLURM_ARRAY_TASK_ID", raising=False)
    assert run(["slurm", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_key_of_the_environment_stays_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("POLICY_API_KEY", "sk-secret")
    words = [
        "slurm",
        "submit",
        *DEMO,
        "--policy-base-url",
        "http://h/v1",
        "--policy-model",
        "m",
        "--run",
        "R",
        "--print",
    ]
    assert run(words) == 2
    key = tmp_path / "key"
    key.write_text("sk-secret")
    key.chmod(stat.S_IRUSR | stat.S_IWUSR)
    assert run([*words, "--policy-api-key-file", str(key)]) == 0
    said = capsys.readouterr()
    assert "sk-secret" not in said.out + said.err
