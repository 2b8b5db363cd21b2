"""The seed is cut out of its package and hashed as Nix hashes it."""

import hashlib
import os
from pathlib import Path

import pytest

from fetching import nixstore, seed
from fetching.problems import HostUnfitError, WrongBytesError
from pinworld import make_deb

# `nix-hash --type sha256 DIR`, Nix 2.8.0, for DIR/bin/busybox with mode 0555 and this content.
CONTENT = b"busybox\n"
NAR_SHA256 = "a6108f32525f4743511e3620b8b29374ebe6e00f0a14f422d7472d6472b58ad6"


def test_the_executable_comes_out_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "x.deb").write_bytes(make_deb(CONTENT))
    assert seed.program(tmp_path / "x.deb") == CONTENT


def test_a_package_without_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.deb").write_bytes(make_deb(CONTENT).partition(b"data.tar")[0])
    with pytest.raises(WrongBytesError, match="holds no bin/busybox"):
        seed.program(tmp_path / "x.deb")


def test_the_hash_is_nixs(tmp_path: Path) -> None:
    assert hashlib.sha256(seed.nar(CONTENT)).hexdigest() == NAR_SHA256


def test_the_folder_has_an_executable_and_nothing_else(tmp_path: Path) -> None:
    seed.write(CONTENT, tmp_path / "busybox-seed")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [str(path.relative_to(tmp_path)) for path in files] == ["busybox-seed/bin/busybox"]
    assert files[0].stat().st_mode & 0o777 == 0o555


def test_root_does_not_write_into_another_users_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        os.chown(tmp_path, 12345, -1)
    monkeypatch.setenv("NIX_STORE_DIR", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(HostUnfitError, match=r"belongs to .*: run this as that user"):
        nixstore.check_owner()
