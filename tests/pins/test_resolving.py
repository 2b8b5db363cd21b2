"""pins/update: wanted.toml, store names, and the generated files."""

from pathlib import Path

import pytest

from fetching.problems import BadInputError
from resolving import wanted
from resolving.entries import Entries, store_name
from resolving.pinned import Pinned, changes, dumps, load, write


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[deb.a.want]\nx = ""', r"deb\.a: x has no reason"),
        ("[gem.a.want]\nx = 'y'", "no kind 'gem'"),
        ("[deb.a]\non = 'b'\n[deb.a.want]\nx = 'y'", "stands on 'b'"),
        ("[deb.a]\nwhy = 'b'", "can't be read"),
        ("[deb", "can't be read"),
    ],
)
def test_a_wrong_wanted_file_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "wanted.toml").write_text(text)
    with pytest.raises(BadInputError, match=complaint):
        wanted.load(tmp_path / "wanted.toml")


def pinned(entries: Entries, members: list[str], seed: str = "s") -> Pinned:
    nothing: dict[str, Entries] = {"deb": {}, "wheel": {}}
    sets: dict[str, dict[str, list[str]]] = {"deb": {}, "wheel": {}, "npm": {"plugin": members}}
    return Pinned({**nothing, "npm": entries}, sets, {"name": "busybox-seed", "sha256": seed})


def test_changes_name_each_difference() -> None:
    old: Entries = {
        name: {"name": name, "version": "1", "sha256": "aa"} for name in ("gone", "moved", "swapped", "same")
    }
    new: Entries = {
        name: {"name": name, "version": "1", "sha256": "aa"} for name in ("new", "moved", "swapped", "same")
    }
    new["moved"]["version"] = "2"
    new["swapped"]["sha256"] = "bb"
    lines = list(changes(pinned(old, sorted(old)), pinned(new, sorted(new), "t")))
    assert [line[:40].rstrip() for line in lines] == [
        "npm  - gone 1",
        "npm  ~ moved 1 -> 2",
        "npm  + new 1",
        "npm  ! swapped 1: same version, other fi",
        "npm  set plugin: +new -gone",
        "seed  s -> t",
    ]


def test_what_is_written_is_read_back_the_same(tmp_path: Path) -> None:
    made = pinned({"zod": {"name": "zod", "version": "4"}}, ["zod"])
    write(made, tmp_path)
    assert load(tmp_path).files() == made.files()
    assert (tmp_path / "npm.json").read_text() == dumps(made.entries["npm"])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "deb.json",
        "npm.json",
        "seed.json",
        "sets.json",
        "wheel.json",
    ]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("git_1%3a2.39_amd64.deb", "git_1-2.39_amd64.deb"),
        ("less_590-2.1~deb12u2_amd64.deb", "less_590-2.1-deb12u2_amd64.deb"),
        ("libssh2-1_1.10.0-3+b1_amd64.deb", "libssh2-1_1.10.0-3+b1_amd64.deb"),
        ("a@b.tgz", "a-b.tgz"),
    ],
)
def test_store_names_hold_only_what_nix_allows(file: str, expected: str) -> None:
    assert store_name(file) == expected
