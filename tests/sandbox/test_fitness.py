"""What the host must give: each lack has its own explanation."""

from pathlib import Path

import pytest

from harness.errors import HostUnfitError
from harness.sandbox import fitness


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
