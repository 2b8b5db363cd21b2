"""What a bundle's cache says to Nix."""

import json

import attrs
import pytest

from harness.errors import HarnessError
from harness.store.bundle import contents as facts
from harness.store.bundle.contents import Contents, Packed
from harness.store.digests import digest


def test_nix_is_told_of_the_nar_and_of_nothing_else(contents: Contents) -> None:
    path = contents.paths[1]
    assert facts.narinfo(Packed(path, digest(b"packed"), 6)).decode() == (
        f"StorePath: /nix/store/{'b' * 32}-hermetic-harness\n"
        f"URL: nar/{'b' * 32}.nar.zst\n"
        "Compression: zstd\n"
        f"FileHash: sha256:{digest(b'packed')}\n"
        "FileSize: 6\n"
        f"NarHash: sha256:{path.nar_sha256}\n"
        "NarSize: 110\n"
        f"References: {'a' * 32}-python {'b' * 32}-hermetic-harness\n"
    )


def test_programs_are_told_the_same(contents: Contents) -> None:
    told = json.loads(facts.described(contents, [Packed(path, digest(b""), 0) for path in contents.paths]))
    assert (told["harness"], told["source"], told["pins"]) == (contents.harness, contents.source, None)
    assert told["data"] == ["set"]
    assert [each["path"] for each in told["paths"]] == [path.path for path in contents.paths]


def test_a_closure_that_is_none_is_refused(contents: Contents) -> None:
    with pytest.raises(HarnessError, match="would lack /nix/store/a"):
        attrs.evolve(contents, paths=contents.paths[1:])


def test_pins_must_be_in_it_where_they_are_named(contents: Contents) -> None:
    with pytest.raises(HarnessError, match="would lack /nix/store/d"):
        attrs.evolve(contents, pins=f"/nix/store/{'d' * 32}-pins")
