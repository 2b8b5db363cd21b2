"""What Nix's database says of store paths."""

from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.pins import storepaths
from harness.pins.storepaths import StorePath

ONE, TWO = f"/nix/store/{'1' * 32}-one", f"/nix/store/{'2' * 32}-two-2.0"
SHA256 = "0" * 64
TOLD = f"{ONE}\n{SHA256}\n120\n\n0\n{TWO}\n{SHA256}\n7\n/nix/store/{'3' * 32}-two.drv\n2\n{TWO}\n{ONE}\n"


def test_each_path_has_its_nar_and_its_references() -> None:
    assert list(storepaths.parse(TOLD)) == [
        StorePath(ONE, SHA256, 120, ()),
        StorePath(TWO, SHA256, 7, (ONE, TWO)),
    ]


@pytest.mark.parametrize(
    "told",
    [
        TOLD.removesuffix(f"{ONE}\n"),
        TOLD.replace("120", "many"),
        TOLD.replace(SHA256, "0" * 63),
        TOLD.replace(ONE, "/etc/passwd"),
        TOLD.replace(TWO, "/nix/store/'; rm -rf x"),
    ],
)
def test_anything_else_is_refused(told: str) -> None:
    with pytest.raises(HarnessError):
        list(storepaths.parse(told))


def test_a_file_in_the_store_has_a_store_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(storepaths, "STORE", tmp_path / "store")
    (tmp_path / "store/x/lib").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "store/x/lib")
    assert storepaths.top(tmp_path / "link") == tmp_path / "store/x"
    assert storepaths.top(tmp_path / "store/x") == tmp_path / "store/x"
    assert storepaths.top(tmp_path / "store") is None
    assert storepaths.top(tmp_path) is None
