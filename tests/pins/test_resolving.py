"""pins/update: what is asked of the clients, and what is made of their answers."""

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fetching.problems import BadInputError, PinsError, WrongBytesError
from resolving import debs, npms, wanted, wheels
from resolving.entries import Entries, store_name
from resolving.pinned import Pinned, changes, dumps, load, write
from resolving.wanted import WantedSet

Install = Callable[[str, str], Path]

STANZAS = """\
Package: git
Version: 1:2.39-0+deb12u3
Architecture: amd64
Depends: libc6 (>= 2.34), perl, container-network-stack | nothing
Size: 7264380
SHA256: aa

Package: libc6
Version: 2.36-9
Architecture: amd64
Size: 5
SHA256: bb

Package: perl
Version: 5.36
Architecture: amd64
Size: 6
SHA256: cc

Package: netavark
Version: 1.4
Architecture: amd64
Provides: container-network-stack
Size: 7
SHA256: dd
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, install_fake: Install) -> Path:
    """A PATH with nothing on it but the fakes."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


@pytest.fixture
def apt(path: Path, monkeypatch: pytest.MonkeyPatch, install_fake: Install) -> None:
    for command in ("apt-get", "apt-cache"):
        install_fake("apt.py", command)
    (path / "stanzas").write_text(STANZAS)
    monkeypatch.setenv("FAKE_STANZAS", str(path / "stanzas"))


@pytest.fixture
def pip(path: Path, monkeypatch: pytest.MonkeyPatch, install_fake: Install) -> None:
    install_fake("resolving_pip.py", "pip3")
    registry = {
        "rich": {"newest": "2", "needs": ["pygments"]},
        "pytest": {"newest": "9", "needs": ["pygments", "plug-gy"]},
        "pygments": {"newest": "5", "needs": []},
        "plug-gy": {"newest": "1", "needs": []},
    }
    (path / "projects").write_text(json.dumps(registry))
    monkeypatch.setenv("FAKE_PROJECTS", str(path / "projects"))


def test_left_out_packages_count_as_installed(apt: None) -> None:
    left_out = {"perl": "no Perl", "netavark": "no network"}
    entries, members = debs.resolve([WantedSet("deb", "sandbox", {"git": "why"}, left_out)])
    assert members == {"sandbox": ["git", "libc6"]}
    assert entries["git"] == {
        "name": "git",
        "version": "1:2.39-0+deb12u3",
        "arch": "amd64",
        "file": "git_1%3a2.39-0+deb12u3_amd64.deb",
        "store": "git_1-2.39-0+deb12u3_amd64.deb",
        "size": 7264380,
        "sha256": "aa",
    }


def test_leaving_out_what_nothing_asks_for_is_refused(apt: None, path: Path) -> None:
    stanzas = STANZAS.replace("perl, ", "", 1)
    (path / "stanzas").write_text(stanzas)
    with pytest.raises(BadInputError, match=r"deb\.sandbox leaves out what nothing in it depends on: perl\."):
        debs.resolve([WantedSet("deb", "sandbox", {"git": "why"}, {"perl": "no Perl"})])


def test_a_package_from_elsewhere_is_refused(apt: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ORIGIN", "Debian-Security:12/oldstable-security")
    with pytest.raises(PinsError, match="not from bookworm main"):
        debs.resolve([WantedSet("deb", "sandbox", {"git": "why"})])


def test_a_set_on_another_holds_only_what_that_lacks(pip: None) -> None:
    sets = [WantedSet("wheel", "harness", {"rich": "why"}), WantedSet("wheel", "dev", {"pytest": "why"}, on="harness")]
    entries, members = wheels.resolve(sets, {}, {})
    assert members == {"harness": ["pygments", "rich"], "dev": ["plug-gy", "pytest"]}
    assert {name: entry["version"] for name, entry in entries.items()} == {
        "rich": "2",
        "pygments": "5",
        "pytest": "9",
        "plug-gy": "1",
    }


def test_what_another_set_has_binds_the_version(pip: None) -> None:
    known: Entries = {"pygments": {"name": "pygments", "version": "4"}}
    entries, _ = wheels.resolve([WantedSet("wheel", "harness", {"rich": "why"})], known, {})
    assert entries["pygments"]["version"] == "4"


def test_a_set_alone_finds_the_one_it_stands_on_among_the_kept(pip: None) -> None:
    known: Entries = {name: {"name": name, "version": "1"} for name in ("rich", "pygments")}
    alone = [WantedSet("wheel", "dev", {"pytest": "why"}, on="harness")]
    _, members = wheels.resolve(alone, known, {"harness": ["pygments", "rich"]})
    assert members == {"dev": ["plug-gy", "pytest"]}


def test_a_wheel_from_a_local_folder_is_refused(pip: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_SCHEME", "file")
    with pytest.raises(WrongBytesError, match="which is not PyPI"):
        wheels.resolve([WantedSet("wheel", "harness", {"rich": "why"})], {}, {})


def integrity(content: str) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(content.encode()).digest()).decode()


def test_an_npm_package_is_measured(path: Path, install_fake: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install_fake("resolving_npm.py", "npm")
    monkeypatch.setenv("FAKE_INTEGRITY", integrity("@a/b"))
    entries, members = npms.resolve([WantedSet("npm", "plugin", {"@a/b@1.0": "why"})], {})
    assert members == {"plugin": ["@a/b"]}
    assert entries["@a/b"] == {
        "name": "@a/b",
        "version": "1.0",
        "file": "a-b-1.0.tgz",
        "store": "a-b-1.0.tgz",
        "size": 4,
        "sha256": hashlib.sha256(b"@a/b").hexdigest(),
    }


def test_an_npm_package_that_is_not_what_its_registry_says_is_refused(
    path: Path, install_fake: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_fake("resolving_npm.py", "npm")
    monkeypatch.setenv("FAKE_INTEGRITY", integrity("other"))
    with pytest.raises(WrongBytesError, match=r"@a/b@1\.0"):
        npms.resolve([WantedSet("npm", "plugin", {"@a/b@1.0": "why"})], {})


def test_a_known_npm_version_is_not_asked_for_again(path: Path) -> None:
    known: Entries = {"zod": {"name": "zod", "version": "4", "sha256": "aa"}}
    entries, _ = npms.resolve([WantedSet("npm", "plugin", {"zod@4": "why"})], known)
    assert entries == known


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
