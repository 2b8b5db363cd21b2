"""Digests: one spelling, strictly."""

from pathlib import Path

import pytest

from harness.errors import CanonicalError
from harness.store.digests import digest, file_digest, parse_digest

# FIPS 180-2, appendix B.1.
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_digest_is_that_of_the_standard() -> None:
    assert digest(b"abc") == ABC


def test_a_file_has_the_digest_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    assert file_digest(tmp_path / "file") == ABC


def test_a_digest_is_taken_as_it_is() -> None:
    assert parse_digest(ABC) == ABC


@pytest.mark.parametrize(
    "text", ["", ABC.upper(), ABC[:-1], ABC + "0", ABC + "\n", " " + ABC[1:], f"sha256:{ABC}", 5, None]
)
def test_any_other_spelling_is_refused(text: object) -> None:
    with pytest.raises(CanonicalError, match="no SHA-256 digest"):
        parse_digest(text)
