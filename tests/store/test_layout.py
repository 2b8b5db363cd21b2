"""Names in a run folder: any task id, one name, and back."""

import datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.store.digests import digest
from harness.store.layout import NAME_MAX, Layout, decode_name, default_run, encode_name, writer_name


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
@example("")
@example(".")
@example("..")
@example("../../etc/passwd")
@example("%2E")
@example("a\x00b")
@example("%")
def test_any_id_has_a_safe_name_of_its_own(text: str) -> None:
    name = encode_name(text)
    assert decode_name(name) == text
    assert "/" not in name
    assert "\x00" not in name
    assert not name.startswith(".")
    assert name
    assert name.isascii()


@pytest.mark.parametrize("text", ["445", "chess-12_a.b", "A"])
def test_plain_ids_are_their_own_names(text: str) -> None:
    assert encode_name(text) == text


@pytest.mark.parametrize("name", ["", ".", "%2e", "%41", "a b", "é", "%FF", "%zz", "a/b", ".hidden"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="not one that a run folder has"):
        decode_name(name)


@pytest.mark.parametrize(("text", "reason"), [("é" * NAME_MAX, "are allowed"), ("\ud800", "no Unicode")])
def test_ids_without_a_name_are_refused(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        encode_name(text)


def test_a_writer_has_a_name_of_its_own() -> None:
    one, other = (writer_name("node/1", 2, 1_767_225_600_000_000_000) for _ in range(2))
    assert one.startswith("node%2F1-2-1767225600000000000-")
    assert one != other


def test_the_default_folder_names_benchmark_date_and_identity() -> None:
    expected = Path("runs/babyvision-2026-01-02-" + digest(b"")[:8])
    assert default_run("babyvision", datetime.date(2026, 1, 2), digest(b"")) == expected


def test_paths_are_those_of_the_design() -> None:
    layout, sha = Layout(Path("R")), digest(b"")
    assert layout.manifest == Path("R/manifest.json")
    assert layout.attempt("a/b", 0, "N") == Path("R/attempts/a%2Fb/0/N.json")
    assert layout.done("a/b", 3) == Path("R/done/a%2Fb/3")
    assert layout.judge_call(sha, 0) == Path(f"R/judge/{sha}/0.json")
    assert layout.score(sha, "1", 2) == Path(f"R/scores/{sha}/1/2.json")
    assert layout.observed == Path("R/observed")
    assert layout.blobs == Path("R/blobs/sha256")
