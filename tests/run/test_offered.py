"""What can be run by name."""

from pathlib import Path

from harness.benchmarks.babyvision.benchmark import INSTRUCTIONS
from harness.run.offered import offered


def test_it_is_what_eval_knows(tmp_path: Path) -> None:
    assert [one.name for one in offered(tmp_path)] == list(INSTRUCTIONS)


def test_a_damaged_data_set_is_no_data_and_its_advice_says_why(tmp_path: Path) -> None:
    (tmp_path / "babyvision").mkdir()
    (tmp_path / "babyvision" / "parquet.json").write_text("{}")
    for one in offered(tmp_path):
        assert one.data.tasks == 0
        assert one.data.advice is not None
        assert "parquet.json is damaged" in one.data.advice
