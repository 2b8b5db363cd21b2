"""What a stage may ask for."""

import pytest

from harness.sandbox.values import Limits, Stage


@pytest.mark.parametrize("name", ["", "/etc/passwd", "../x", "a/../../x", "a\0b"])
def test_a_file_stays_in_the_tasks_folder(name: str) -> None:
    with pytest.raises(ValueError, match="no path of a file"):
        Stage(("true",), {}, files={name: b""})


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\0b"])
def test_an_output_is_a_plain_name(name: str) -> None:
    with pytest.raises(ValueError, match="no file name"):
        Stage(("true",), {}, outputs={name: 1})


def test_an_output_has_a_limit() -> None:
    with pytest.raises(ValueError, match="more than 0 bytes"):
        Stage(("true",), {}, outputs={"out": 0})


@pytest.mark.parametrize("limit", [{"memory": 0}, {"cpus": -1}, {"inodes": 0}])
def test_a_limit_of_nothing_would_mean_none(limit: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(limit))):
        Limits(**limit)
