from collections import Counter

import pytest
from syrupy.assertion import SnapshotAssertion

from harness.agents.task import image_suffix
from harness.benchmarks.babyvision.puzzle import Puzzle, task_set_digest
from harness.benchmarks.demo.puzzles import KINDS, intended, rows
from harness.store.digests import digest


def test_the_bytes_of_a_seed_never_change(snapshot: SnapshotAssertion) -> None:
    assert {row.subtype: digest(row.image) for row in rows(seed=1, count=9)} == snapshot


def test_seeds_make_different_puzzles() -> None:
    one, two = rows(seed=1), rows(seed=2)
    assert not {row.image for row in one} & {row.image for row in two}
    assert task_set_digest(map(Puzzle.of, one)) != task_set_digest(map(Puzzle.of, two))


def test_a_longer_demo_begins_with_the_shorter_one() -> None:
    assert rows(seed=1, count=13)[:12] == rows(seed=1)


def test_twelve_puzzles_cover_what_a_demo_must_show() -> None:
    twelve = rows(seed=1, count=12)
    assert len({row.type for row in twelve}) == 4
    assert len({row.subtype for row in twelve}) == len(KINDS) >= 6
    assert Counter(image_suffix(row.image) for row in twelve) == {"png": 8, "jpg": 4}
    assert Counter(row.ans_type for row in twelve) == {"blank": 6, "choice": 6}


def test_twelve_puzzles_hold_two_that_mislead_and_one_that_silences() -> None:
    assert Counter(map(intended, range(1, 13))) == {"right": 9, "wrong": 2, "silent": 1}
    assert intended(1) == "right"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.subtype)
def test_a_question_is_known_by_its_beginning(kind: object) -> None:
    for row in rows(seed=3, count=9):
        assert sum(row.question.startswith(kind.asks) for kind in KINDS) == 1
