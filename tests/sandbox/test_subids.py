"""Reading /etc/subuid, and choosing a range."""

import pytest

from harness.errors import HostUnfitError
from harness.sandbox.subids import IdRange, choose, parse

TEXT = """\
# made by useradd
root:1:5
alice:100000:65536
alice:300000:131072
1001:500000:65536
broken:line
bob:x:65536
"""


def test_lines_by_name_and_by_number() -> None:
    assert parse(TEXT, ["alice", "1001"]) == (
        IdRange(100000, 65536),
        IdRange(300000, 131072),
        IdRange(500000, 65536),
    )


def test_lines_that_are_no_ranges_are_left_out() -> None:
    assert parse(TEXT, ["bob", "broken", "# made by useradd"]) == ()


def test_the_largest_range_is_taken() -> None:
    assert choose(TEXT, ["alice", "1000"], "/etc/subuid") == IdRange(300000, 131072)


def test_without_a_range_the_error_holds_the_command() -> None:
    """The proposed range starts above every other one."""
    with pytest.raises(HostUnfitError) as caught:
        choose(TEXT, ["carol", "1002"], "/etc/subuid")
    assert "no range" in str(caught.value)
    assert "usermod --add-subuids 565536-631071 carol" in str(caught.value)


def test_usermod_knows_no_user_of_a_directory_service() -> None:
    with pytest.raises(HostUnfitError) as caught:
        choose(TEXT, ["carol", "1002"], "/etc/subgid", in_passwd=False)
    assert caught.value.advice == "As root: echo carol:565536:65536 >> /etc/subgid"


def test_a_range_too_small_for_one_sandbox() -> None:
    with pytest.raises(HostUnfitError) as caught:
        choose("dave:100000:1000\n", ["dave", "7"], "/etc/subgid")
    assert "only 1000 ids" in str(caught.value)
    assert "usermod --add-subgids 101000-166535 dave" in str(caught.value)


def test_a_user_without_a_name() -> None:
    assert choose("4242:100000:65536\n", ["4242"], "/etc/subuid") == IdRange(100000, 65536)


def test_numbers_that_are_no_ids_hide_no_range_that_is_one() -> None:
    """The kernel has 2**32 - 1 of them; a wrong line is also no reason to propose ids beyond."""
    wrong = f"alice:100000:9999999999\nalice:4294967000:65536\nbob:1{'0' * 5000}:1\n"
    assert choose(f"{wrong}alice:300000:65536\n", ["alice"], "/etc/subuid") == IdRange(300000, 65536)
    with pytest.raises(HostUnfitError, match="--add-subuids 100000-165535 alice"):
        choose(wrong, ["alice"], "/etc/subuid")
