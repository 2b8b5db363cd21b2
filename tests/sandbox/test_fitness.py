"""What the host must give: each lack has its own explanation."""

from pathlib import Path

import pytest

from harness.errors import HostUnfitError
from harness.sandbox import fitness
from harness.sandbox.hostids import Ids
from harness.sandbox.idmaps import Extent
from harness.sandbox.subids import IdRange


def _helpers(folder: Path, mode: int) -> None:
    for name in fitness.HELPERS:
        (folder / name).write_text("")
        (folder / name).chmod(mode)


def _checked(folder: Path) -> list[Path]:
    path = str(folder)
    return [fitness.check_helper(name, fitness.Helper.of(name, path), path) for name in fitness.HELPERS]


def test_helpers_that_are_missing_name_the_package(tmp_path: Path) -> None:
    with pytest.raises(HostUnfitError, match="apt-get install uidmap"):
        _checked(tmp_path)


def test_helpers_without_their_privilege(tmp_path: Path) -> None:
    _helpers(tmp_path, 0o755)
    with pytest.raises(HostUnfitError, match="neither setuid"):
        _checked(tmp_path)


@pytest.mark.integration  # a build sandbox forbids setuid files
def test_helpers_that_are_setuid(tmp_path: Path) -> None:
    _helpers(tmp_path, 0o4755)
    assert _checked(tmp_path) == [tmp_path / name for name in fitness.HELPERS]


@pytest.mark.parametrize("name", fitness.SYSCTLS)
def test_each_switch_of_the_kernel_is_named(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.parent.mkdir()
    file.write_text("0\n")
    with pytest.raises(HostUnfitError) as caught:
        fitness.check_switches(fitness.sysctls(tmp_path), "NoNewPrivs:\t0\n")
    assert f"sysctl -w {name.replace('/', '.')}=" in caught.value.advice


def test_no_switch_no_reason(tmp_path: Path) -> None:
    """A kernel without these files is a fit one."""
    fitness.check_switches(fitness.sysctls(tmp_path), "NoNewPrivs:\t0\n")


def test_no_new_privileges() -> None:
    with pytest.raises(HostUnfitError, match="no-new-privileges"):
        fitness.check_switches({}, "Name:\tpython\nNoNewPrivs:\t1\n")


@pytest.mark.parametrize(("value", "restricted"), [("0", False), ("1", True)])
def test_apparmors_restriction(tmp_path: Path, value: str, restricted: bool) -> None:
    file = tmp_path / fitness.APPARMOR
    file.parent.mkdir()
    file.write_text(value)
    reason = fitness.apparmor(fitness.sysctls(tmp_path))
    assert (reason is not None) is restricted
    assert reason is None or "kernel.apparmor_restrict_unprivileged_userns=0" in reason.advice


def test_a_missing_file_of_ranges_is_an_empty_one(tmp_path: Path) -> None:
    assert fitness.text(tmp_path / "subuid") == ""


def test_a_file_of_ranges_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(HostUnfitError, match=f"{tmp_path} can't be read: Is a directory"):
        fitness.text(tmp_path)


def test_a_user_unknown_to_this_machine_is_looked_up_by_what_the_environment_says() -> None:
    unknown = 3_000_000_000
    assert fitness.User.of(unknown, {"USER": "ldap-user"}) == fitness.User(("ldap-user", str(unknown)), in_passwd=False)


def test_a_known_user_can_not_choose_a_name() -> None:
    assert fitness.User.of(0, {"USER": "somebody-else"}) == fitness.User(("root", "0"), in_passwd=True)


ALL_CAPABILITIES, NONE = "CapEff:\t000001ffffffffff\n", "CapEff:\t0000000000000000\n"
MAPPED = (Extent(0, 999, 1), Extent(1, 100000, 65536))


def test_root_of_a_namespace_hands_on_what_is_mapped_there_without_any_helper() -> None:
    found = fitness.root_of(Ids(MAPPED, MAPPED), ALL_CAPABILITIES, "", "")
    assert found == fitness.IdSetup({}, IdRange(1, 65536), IdRange(1, 65536))


def test_root_of_a_container_hands_on_the_range_that_its_files_give_him() -> None:
    """Other ids there may be those of the container's own users. A range of the host's file is not mapped."""
    found = fitness.root_of(Ids(MAPPED, MAPPED), ALL_CAPABILITIES, "root:10000:50000\n", "root:100000:65536\n")
    assert found == fitness.IdSetup({}, IdRange(10000, 50000), IdRange(1, 65536))


@pytest.mark.parametrize(
    ("users", "groups", "status"),
    [
        (MAPPED, MAPPED, NONE),
        (MAPPED, MAPPED, "CapEff:\t0000000000000040\n"),
        (MAPPED[:1], MAPPED, ALL_CAPABILITIES),
        (MAPPED, (Extent(0, 998, 1), Extent(1, 5, 1999)), ALL_CAPABILITIES),
    ],
)
def test_root_without_ids_or_without_the_right_to_set_them(
    users: tuple[Extent, ...], groups: tuple[Extent, ...], status: str
) -> None:
    assert fitness.root_of(Ids(users, groups), status, "", "") is None
