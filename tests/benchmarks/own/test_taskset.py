"""The task set that a run folder keeps of one's own benchmark."""

from collections.abc import Callable

import pytest

from harness.benchmarks.own.benchmark import OwnBenchmark
from harness.benchmarks.recorded import recorded
from harness.errors import StoreCorruptError, UnknownNameError, UsageError
from harness.store.digests import digest
from tests.benchmarks.own.conftest import RULED

Opened = Callable[..., OwnBenchmark]


def test_all_that_grading_needs_but_the_rule_comes_back(opened: Opened) -> None:
    played = opened()
    assert digest(played.task_set) == played.digest
    found = recorded("numbers", played.task_set)
    assert (found.ids, found.sources, found.mode.name) == (played.ids, played.sources, "rule")
    assert found.mode.own is None
    for task in played.ids:
        assert (found.gold(task), found.groups(task)) == (played.gold(task), played.groups(task))
    with pytest.raises(UnknownNameError, match="no task 'three'"):
        found.gold("three")


def test_without_a_rule_the_judge_grades(opened: Opened) -> None:
    played = opened(RULED.replace(", grade=grade", ""))
    found = recorded("numbers", played.task_set)
    assert (played.mode.name, found.mode.name) == ("judged", "judged")
    assert played.digest != opened().digest


def test_the_order_is_that_of_the_file(opened: Opened) -> None:
    turned = opened(RULED.replace('"one"', '"zwei"'))
    assert recorded("numbers", turned.task_set).ids == ("zwei", "two")


@pytest.mark.parametrize("name", ["../x", "", "Numbers", "-x"])
def test_a_name_that_none_has_is_refused(opened: Opened, name: str) -> None:
    with pytest.raises(UsageError, match="can grade babyvision"):
        recorded(name, opened().task_set)


@pytest.mark.parametrize(
    "damaged",
    [
        lambda data: data[:-2],
        lambda data: data.replace(b'"format":1', b'"format":2'),
        lambda data: data.replace(b'"grading":"rule"', b'"grading":"dice"'),
        lambda data: data.replace(b'"gold":"1"', b'"gold":1'),
        lambda data: data.replace(b'"id":"one"', b'"id":"two"'),
        lambda data: data.replace(b'"id":"one"', b'"id":"../../one"'),
        lambda data: data.replace(b'"images":[]', b'"images":["ab"]', 1),
        lambda data: data.replace(b",", b", ", 1),
        lambda data: data.replace(b'"type":"small"', b'"typo":"small"', 1),
    ],
    ids=["cut", "format", "grading", "type", "twice", "id", "digest", "spelling", "field"],
)
def test_what_is_no_task_set_is_damage(opened: Opened, damaged: Callable[[bytes], bytes]) -> None:
    data = opened().task_set
    assert damaged(data) != data
    with pytest.raises(StoreCorruptError, match="The run's task set is none of numbers"):
        recorded("numbers", damaged(data))
