"""pins/fetch from the outside: what it asks the clients for, what reaches the store and folders."""

from pathlib import Path

import pytest

from pinworld import World, names


def test_everything_reaches_the_store_and_the_seed_is_cut_out(world: World) -> None:
    done = world.fetch()
    assert done.returncode == 0, done.stderr
    assert all(world.store_path(kind, name).exists() for kind in world.pins for name in world.pins[kind])
    (seed,) = world.store.glob("*-busybox-seed")
    assert (seed / "bin/busybox").read_bytes() == b"busybox"
    assert world.fetch("--check").returncode == 0


def test_when_nothing_is_missing_no_client_is_called_and_nothing_is_said(world: World) -> None:
    world.fetch()
    world.calls_file.unlink()
    done = world.fetch()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert world.calls() == []


def test_clients_are_asked_for_exact_versions(world: World) -> None:
    world.fetch("--to", str(world.folder / "to"))
    calls = {call[0]: call[1:] for call in world.calls()}
    assert "busybox-static=1:1.35.0-4~b1" in calls["apt-get"]
    assert "@ai-sdk/provider@3.0.8" in calls["npm"]
    assert {"--no-deps", "--require-hashes", "--only-binary=:all:", "--python-version=3.11"} <= set(calls["pip3"])


def test_to_fills_a_folder_and_leaves_the_store_alone(world: World, tmp_path: Path) -> None:
    done = world.fetch("--to", str(tmp_path / "to"))
    assert done.returncode == 0, done.stderr
    assert names(tmp_path / "to") == world.all_files()
    assert list(world.store.iterdir()) == []


def test_to_gets_only_what_the_folder_lacks(world: World, tmp_path: Path) -> None:
    world.fetch("--to", str(tmp_path / "to"))
    (tmp_path / "to/zod-4.1.8.tgz").unlink()
    (tmp_path / "to/ini-7.0.0.tgz").write_bytes(b"in")
    world.calls_file.unlink()
    assert world.fetch("--to", str(tmp_path / "to")).returncode == 0
    (call,) = world.calls()
    assert sorted(call[-2:]) == ["ini@7.0.0", "zod@4.1.8"]
    assert (tmp_path / "to/ini-7.0.0.tgz").read_bytes() == b"ini"


def test_only_narrows_down_to_listed_files(world: World, tmp_path: Path) -> None:
    done = world.fetch("--to", str(tmp_path / "to"), "--only", "-", given="zod-4.1.8.tgz\nbash_5.2_amd64.deb\n")
    assert done.returncode == 0, done.stderr
    assert names(tmp_path / "to") == {"zod-4.1.8.tgz", "bash_5.2_amd64.deb"}


def test_only_refuses_a_name_that_is_not_pinned(world: World, tmp_path: Path) -> None:
    done = world.fetch("--to", str(tmp_path / "to"), "--only", "-", given="zod-9.tgz\n")
    assert done.returncode == 2
    assert "No pin has the file name zod-9.tgz" in done.stderr


def test_a_path_that_is_there_but_not_valid_is_fetched_again(world: World) -> None:
    world.fetch()
    world.store_path("npm", "zod").with_name(world.store_path("npm", "zod").name + ".invalid").touch()
    assert world.fetch("--check").stdout == "zod-4.1.8.tgz\n"
    assert world.fetch().returncode == 0
    assert world.fetch("--check").returncode == 0


def test_progress_is_one_plain_line_a_step(world: World) -> None:
    lines = world.fetch().stderr.splitlines()
    assert len(lines) == 4
    assert all(line.startswith(("fetched: ", "added to the store: 9 of 9 files")) for line in lines)
    assert "\r" not in "".join(lines)


def test_pins_that_are_no_json_are_a_usage_error(world: World) -> None:
    (world.folder / "deb.json").write_text("{")
    done = world.fetch()
    assert done.returncode == 2
    assert "can't be read" in done.stderr


@pytest.mark.parametrize("arguments", [["--from", "a", "--to", "b"], ["--only", "x"], ["--jobs", "0"], ["--nonsense"]])
def test_wrong_arguments_are_refused(world: World, arguments: list[str]) -> None:
    assert world.fetch(*arguments).returncode == 2
