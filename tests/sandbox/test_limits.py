"""What holds each limit, and what is refused where the kernel doesn't."""

import pytest

from harness.errors import HostUnfitError
from harness.sandbox import limits

ALL = frozenset({"cpus", "memory", "pids"})


def test_each_limit_is_named_with_what_holds_it() -> None:
    whole, nothing = limits.held(ALL), limits.held(())
    assert (whole["memory"], whole["cpus"], whole["pids"]) == ("cgroup", "cgroup", "cgroup")
    assert (nothing["memory"], nothing["cpus"], nothing["pids"]) == ("watchdog", "none", "ulimit")
    assert whole["time"] == nothing["time"] == "harness"


def test_what_a_cgroup_holds_in_part_is_said_in_part() -> None:
    found = limits.held(frozenset({"pids"}))
    assert (found["memory"], found["cpus"], found["pids"]) == ("watchdog", "none", "cgroup")


def test_a_host_that_holds_all_is_taken() -> None:
    limits.require(ALL, "")


def test_a_refusal_names_each_limit_and_the_reason() -> None:
    with pytest.raises(
        HostUnfitError, match=r"cpus .nothing holds it., memory .only a watchdog.*no cgroup v2"
    ) as caught:
        limits.require((), "no cgroup v2")
    assert "pids" not in str(caught.value).replace("loginctl", "")
    assert "--require-limits" in str(caught.value)
    assert caught.value.exit_status == 4


def test_one_limit_is_enough_to_refuse() -> None:
    with pytest.raises(HostUnfitError, match="is set: cpus"):
        limits.require(frozenset({"memory", "pids"}), "why")
