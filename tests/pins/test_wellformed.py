"""The pins of the repository themselves."""

import hashlib
import json
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from fetching import catalog
from harness.pins import KINDS, Pins, read
from resolving import pinned, wanted
from resolving.entries import store_name

FOLDER = Path(__file__).resolve().parents[2] / "pins"
MEGABYTE = 1_000_000

# From npm itself: each tarball's sha512 was compared with the registry's integrity value.
OPENCODE = "465b40d7195b8dd0b52d8830f13cbe800858a2ee82fba4ce3c1832cd9727062b"
RIPGREP = "8cc06e25e29f9c258ee9a09eecd7707c1ea2e99d9e76151e53dbe39f8d6b4a09"
PLUGIN = {
    "@ai-sdk/provider": "7a057aecd868cb9612e74c6f3728aebacce2293652f43322358bcd07e56970e7",
    "@msgpackr-extract/msgpackr-extract-linux-x64": "ec75cfd36ab615166d08f079e4af4e7405e45cd3e08095b74ce6fcfb3a795faf",
    "@opencode-ai/plugin": "e4e301144d574e1ac35d9c7983559506d59cb6f0902b9d2163f8b13f2c4b7360",
    "@opencode-ai/sdk": "d4a198f20539a5d1ebb897b3f3a11f1d79f21bceadc421e3af45a5fbd1d2b979",
    "@standard-schema/spec": "a7cb7268be280ab518d450f8c3b07c86f23417225c0ab53691ed59b3067cceaf",
    "cross-spawn": "188c320cdc413adfec03098fda72af7a9b02152ba13d3a8f87f172d93ced38ea",
    "detect-libc": "270dec0fc06cff86481da8af2dd8f18dee6b602790b14ef0e1c2c18d7da39427",
    "effect": "519a093a267909d22e4d2b2d688ed6438737995de3e8347f2f582a357918d3c9",
    "fast-check": "bf5721ede5fd693682a44ebf5e34c74b33de5ca8bb5586dc557b7d9c76e9d5bc",
    "find-my-way-ts": "eda3f298c6261b7e389f7472ddaa19dc01575665741e862c3d0dacb14161b360",
    "ini": "7e7c8f2d6d0511237ac1d9e728483d8e6c9ecf3c7e16f55e9be4a59782327442",
    "isexe": "47cfe872e088e28c53b736fef305324b57cc1cfc9f72a9b0f769f92731cb8359",
    "json-schema": "2b28fff2ff3ac4907c78c0012b43a93dd46395b43f3a55084c119f62e375b349",
    "kubernetes-types": "d32819b4ed5c74fe783040b3739a80f99bc18beaefe6d50f64a214aa9b5c848d",
    "msgpackr": "f4b26f72e150a0d2de9cd4dece7fd2e01a4213723192f7ee9ef2a7b7a4ed76c7",
    "msgpackr-extract": "708ef67533a312610b4448cba75758ec9043d101f8f4cc799ceddcfbf949f922",
    "multipasta": "ee0bceb202b21a1167ada079ca663aa958155bd41cfe88a459e46814cac94319",
    "node-gyp-build-optional-packages": "9b2efd3e30cc4c8742d547ba53d526332f66e4c49e2d4e5c0a4abfff7bf9721f",
    "path-key": "4b8999acb914830edcd3c5b8fec632b32c6bc759ac3edc86336f5a9e08ba7b92",
    "pure-rand": "3ce449c758cb2ea0db7ff30a1b378d381d9e74681acec74e1e2591ea6aa381ca",
    "shebang-command": "9acba5bd18a51e9cdf5898380e4df63f803e1844def64ae1a46f88cff86d556e",
    "shebang-regex": "fedbabaa6db26c6be0183f82777dfa852d59a62f8885de93bd32ebc28758958f",
    "toml": "e5afcf7b9fbe965c9a5985d69b7cba5e139cdacc9afbfec18885e1cc98e981b8",
    "uuid": "4750af69abb91dae4c49e4c71c96fd6a3bd0613900f18429b955ad6fb8099977",
    "which": "a13adf5fddeb769655edce551e81fbb11904b9c9be76d95e41da8c4c499d4edc",
    "yaml": "4ef6c54cf559b8a207b7b518378230805a1c84af239b14960e8c67c7d59de5d3",
    "zod": "193e3a33dc66d679d522c40e6a5138788646d3c6a5039d0c5c2b3bede83b6635",
}


@pytest.fixture(scope="module")
def pins() -> Pins:
    return read(FOLDER)


def test_opencode_and_ripgrep_are_the_known_ones(pins: Pins) -> None:
    assert pins.entries["npm"]["opencode-linux-x64"].sha256 == OPENCODE
    assert pins.entries["npm"]["@vscode/ripgrep-linux-x64"].sha256 == RIPGREP


def test_the_plugin_packages_are_the_known_ones(pins: Pins) -> None:
    members = pins.sets["npm"]["plugin"]
    assert {name: pins.entries["npm"][name].sha256 for name in members} == PLUGIN


def test_store_names_are_unique_and_made_from_the_file_names(pins: Pins) -> None:
    counts = Counter(pin.store for _, pin in pins)
    assert [name for name, count in counts.items() if count > 1] == []
    assert [pin.file for _, pin in pins if pin.store != store_name(pin.file)] == []


def test_every_pin_stands_under_its_own_name(pins: Pins) -> None:
    assert [(key, pin.name) for kind in KINDS for key, pin in pins.entries[kind].items() if key != pin.name] == []


def test_file_names_carry_name_and_version(pins: Pins) -> None:
    for pin in pins.entries["deb"].values():
        assert pin.file == f"{pin.name}_{pin.version.replace(':', '%3a')}_{pin.arch}.deb"
    for pin in pins.entries["wheel"].values():
        name, version = pin.file.split("-")[:2]
        assert (name.lower().replace("_", "-"), version) == (pin.name, pin.version)
    for pin in pins.entries["npm"].values():
        assert pin.file == f"{pin.name.lstrip('@').replace('/', '-')}-{pin.version}.tgz"


def test_wheels_fit_python_311_and_glibc_236(pins: Pins) -> None:
    for pin in pins.entries["wheel"].values():
        *_, python, abi, platforms = pin.file.removesuffix(".whl").split("-")
        assert any(tag in ("py3", "cp311") or abi == "abi3" for tag in python.split(".")), pin.file
        legacy = {"any", "manylinux1_x86_64", "manylinux2010_x86_64", "manylinux2014_x86_64"}
        glibc = {f"manylinux_2_{minor}_x86_64" for minor in range(37)}
        assert set(platforms.split(".")) & (legacy | glibc), pin.file


def test_every_pin_is_in_a_set(pins: Pins) -> None:
    for kind in KINDS:
        members = {name for names in pins.sets[kind].values() for name in names}
        assert set(pins.entries[kind]) - members == set()


def test_sets_are_sorted_and_name_nothing_twice(pins: Pins) -> None:
    unsorted = [name for kind in KINDS for name, members in pins.sets[kind].items() if members != sorted(set(members))]
    assert unsorted == []


def test_the_dev_set_holds_only_what_the_harness_lacks(pins: Pins) -> None:
    assert set(pins.sets["wheel"]["dev"]) & set(pins.sets["wheel"]["harness"]) == set()


def test_no_perl_reaches_the_sandbox(pins: Pins) -> None:
    assert [name for name in pins.sets["deb"]["sandbox"] if "perl" in name] == []


def test_everything_wanted_has_a_reason_and_is_in_its_set(pins: Pins) -> None:
    sets = wanted.load(FOLDER / "wanted.toml")
    assert {(each.kind, each.name) for each in sets} == {(kind, name) for kind in KINDS for name in pins.sets[kind]}
    for each in sets:
        names = {name.rpartition("@")[0] if each.kind == "npm" else name for name in each.want}
        assert names - set(pins.sets[each.kind][each.name]) == set(), each.label
        assert set(each.without) & set(pins.sets[each.kind][each.name]) == set(), each.label


def test_npm_versions_are_those_wanted(pins: Pins) -> None:
    table = tomllib.loads((FOLDER / "wanted.toml").read_text())["npm"]
    specs = {spec for fields in table.values() for spec in fields["want"]}
    assert specs == {f"{pin.name}@{pin.version}" for pin in pins.entries["npm"].values()}


def test_the_harness_set_has_every_dependency_of_the_project(pins: Pins) -> None:
    project = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text())["project"]
    assert set(project["dependencies"]) - set(pins.sets["wheel"]["harness"]) == set()


def test_the_files_are_in_the_form_that_update_writes() -> None:
    for name, content in pinned.load(FOLDER).files().items():
        assert (FOLDER / name).read_text() == pinned.dumps(content), name


def test_fetch_and_harness_read_the_same_pins(pins: Pins) -> None:
    fetched = {(pin.kind, pin.name, pin.sha256) for pin in catalog.load(FOLDER).pins}
    assert fetched == {(kind, pin.name, pin.sha256) for kind, pin in pins}


def test_all_pins_together_stay_of_a_size_that_can_be_carried(pins: Pins) -> None:
    assert 100 * MEGABYTE < sum(pin.size for _, pin in pins) < 500 * MEGABYTE


def test_no_host_of_a_registry_is_named() -> None:
    files = [
        path
        for path in FOLDER.rglob("*")
        if path.suffix in (".json", ".toml", ".py") or path.name in ("fetch", "update")
    ]
    assert len(files) > len(KINDS)
    assert [path.name for path in files if "://" in path.read_text()] == []


def test_the_digest_over_all_pins_changes_with_any_of_them(pins: Pins, tmp_path: Path) -> None:
    for path in FOLDER.glob("*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert read(tmp_path).sha256 == pins.sha256
    table = json.loads((tmp_path / "npm.json").read_text())
    table["zod"]["sha256"] = hashlib.sha256(b"other").hexdigest()
    (tmp_path / "npm.json").write_text(json.dumps(table))
    assert read(tmp_path).sha256 != pins.sha256
