"""pins/update, npm packages: measured, and compared with the registry's own integrity value."""

import base64
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fetching.problems import WrongBytesError
from resolving import npms
from resolving.wanted import WantedSet

if TYPE_CHECKING:
    from resolving.entries import Entries

Install = Callable[[str, str], Path]


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
