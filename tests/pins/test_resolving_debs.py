"""pins/update, Debian packages: the closure without what is left out, out of main only."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fetching.problems import BadInputError, PinsError
from resolving import debs
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
def apt(path: Path, monkeypatch: pytest.MonkeyPatch, install_fake: Install) -> None:
    for command in ("apt-get", "apt-cache"):
        install_fake("apt.py", command)
    (path / "stanzas").write_text(STANZAS)
    monkeypatch.setenv("FAKE_STANZAS", str(path / "stanzas"))


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
