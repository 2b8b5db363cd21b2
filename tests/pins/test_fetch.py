"""pins/fetch from the outside: what it asks the clients for, what reaches the store, what it refuses."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pinworld import World


def change(world: World, kind: str, name: str) -> Path:
    """Let the registry deliver other bytes of the same length."""
    path = world.file(kind, name)
    path.write_bytes(path.read_bytes()[::-1])
    return path


def wait_for(path: Path, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.02)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}


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


def test_a_listing_by_the_stores_owner_serves_another_users_download(world: World, tmp_path: Path) -> None:
    world.fetch()
    world.store_path("npm", "zod").unlink()
    listed = world.fetch("--check")
    assert (listed.returncode, listed.stdout) == (4, "zod-4.1.8.tgz\n")
    assert world.fetch("--to", str(tmp_path / "to"), "--only", "-", given=listed.stdout).returncode == 0
    assert world.fetch("--from", str(tmp_path / "to")).returncode == 0
    assert world.fetch("--check").returncode == 0


def test_a_path_that_is_there_but_not_valid_is_fetched_again(world: World) -> None:
    world.fetch()
    world.store_path("npm", "zod").with_name(world.store_path("npm", "zod").name + ".invalid").touch()
    assert world.fetch("--check").stdout == "zod-4.1.8.tgz\n"
    assert world.fetch().returncode == 0
    assert world.fetch("--check").returncode == 0


def test_from_finds_files_anywhere_below_and_by_either_name(world: World, tmp_path: Path) -> None:
    media = tmp_path / "media"
    for number, path in enumerate(world.shelf.iterdir()):
        target = media / str(number) / path.name
        target.parent.mkdir(parents=True)
        target.write_bytes(path.read_bytes())
    (package,) = media.rglob("busybox-static*")
    package.rename(package.with_name(str(world.pins["deb"]["busybox-static"]["store"])))
    done = world.fetch("--from", str(media))
    assert done.returncode == 0, done.stderr
    assert world.calls() == []
    assert world.fetch("--check").returncode == 0


def test_from_names_every_file_that_is_not_there_and_keeps_the_others(world: World) -> None:
    world.file("npm", "zod").unlink()
    world.file("deb", "git").unlink()
    done = world.fetch("--from", str(world.shelf))
    assert done.returncode == 4
    assert "zod-4.1.8.tgz is neither in the Nix store nor below" in done.stderr
    assert "git_2.39_amd64.deb is neither" in done.stderr
    assert world.store_path("deb", "bash").exists()


def test_from_takes_the_right_one_of_two_files_of_one_name(world: World, tmp_path: Path) -> None:
    (world.shelf / "a").mkdir()
    (world.shelf / "a/zod-4.1.8.tgz").write_bytes(b"???")
    assert world.fetch("--from", str(world.shelf)).returncode == 0


def test_from_a_folder_that_does_not_exist(world: World, tmp_path: Path) -> None:
    done = world.fetch("--from", str(tmp_path / "nowhere"))
    assert done.returncode == 4
    assert "There is no folder" in done.stderr


def test_from_refuses_wrong_bytes_with_both_hashes(world: World) -> None:
    right = str(world.pins["npm"]["zod"]["sha256"])
    change(world, "npm", "zod")
    done = world.fetch("--from", str(world.shelf))
    assert done.returncode == 5
    assert "Refused zod-4.1.8.tgz" in done.stderr
    assert right in done.stderr
    assert done.stderr.count("sha256 ") == 2
    assert not world.store_path("npm", "zod").exists()


@pytest.mark.parametrize(("kind", "name"), [("deb", "git"), ("wheel", "rich"), ("npm", "zod")])
def test_wrong_bytes_from_a_registry_are_refused(world: World, tmp_path: Path, kind: str, name: str) -> None:
    right = str(world.pins[kind][name]["sha256"])
    file = change(world, kind, name).name
    done = world.fetch("--to", str(tmp_path / "to"))
    assert done.returncode == 5
    assert f"Refused {file}" in done.stderr
    assert right in done.stderr
    assert names(tmp_path / "to") == world.all_files() - {file}


@pytest.mark.parametrize(
    ("client", "kind", "advice"),
    [("apt-get", "deb", "--from"), ("pip3", "wheel", "python3-pip"), ("npm", "npm", "install")],
)
def test_a_missing_client_is_named_before_anything_is_fetched(
    world: World, client: str, kind: str, advice: str
) -> None:
    (world.bin / client).unlink()
    done = world.fetch()
    assert done.returncode == 4
    assert f"There is no {client}" in done.stderr
    assert f"{kind} pins" in done.stderr
    assert advice in done.stderr
    assert world.calls() == []


def test_a_client_whose_files_are_all_there_is_not_needed(world: World, tmp_path: Path) -> None:
    world.fetch("--to", str(tmp_path / "to"))
    (world.bin / "npm").unlink()
    (tmp_path / "to/bash_5.2_amd64.deb").unlink()
    assert world.fetch("--to", str(tmp_path / "to")).returncode == 0


def test_what_could_not_be_had_is_named_and_all_else_is_kept(world: World, tmp_path: Path) -> None:
    index = json.loads((world.shelf / "index.json").read_text())
    (world.shelf / "index.json").write_text(json.dumps({k: v for k, v in index.items() if not k.startswith("git")}))
    done = world.fetch("--to", str(tmp_path / "to"))
    assert done.returncode == 1
    assert "Could not get git_2.39_amd64.deb (git 2.39)" in done.stderr
    assert "there is no git@2.39" in done.stderr
    assert names(tmp_path / "to") == world.all_files() - {"git_2.39_amd64.deb"}


def test_a_fetch_goes_on_where_one_was_interrupted(world: World, tmp_path: Path) -> None:
    world.fetch("--to", str(tmp_path / "to"))
    staging = tmp_path / "to/.fetch-abc"
    staging.mkdir()
    (tmp_path / "to/zod-4.1.8.tgz").rename(staging / "zod-4.1.8.tgz")
    (tmp_path / "to/ini-7.0.0.tgz").rename(staging / "ini-7.0.0.tgz")
    (staging / "ini-7.0.0.tgz").write_bytes(b"in")
    world.calls_file.unlink()
    assert world.fetch("--to", str(tmp_path / "to")).returncode == 0
    (call,) = world.calls()
    assert call[-1] == "ini@7.0.0"
    assert "zod@4.1.8" not in call
    assert not staging.exists()


def test_an_interrupt_ends_it_at_once(world: World, tmp_path: Path) -> None:
    slow = world.bin / "apt-get"
    slow.write_text(
        f"#!{sys.executable} -IS\nimport pathlib, time\npathlib.Path('../../started').touch()\ntime.sleep(60)\n"
    )
    (world.bin / "pip3").write_text(slow.read_text())
    (world.bin / "npm").write_text(slow.read_text())
    fetch = subprocess.Popen(
        [sys.executable, world.folder / "fetch", "--to", tmp_path / "to", "--jobs", "1"],
        env=world.environment(),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        wait_for(tmp_path / "started")
        os.killpg(fetch.pid, signal.SIGINT)
        assert "interrupted" in fetch.communicate(timeout=20)[1]
    finally:
        fetch.kill()
        fetch.wait()
    assert fetch.returncode == 130
    assert [path.name for path in (tmp_path / "to").iterdir()] == [".lock"]


def test_a_failed_fetch_into_the_store_keeps_what_it_got(world: World) -> None:
    index = (world.shelf / "index.json").read_text()
    (world.shelf / "index.json").write_text(json.dumps({k: v for k, v in json.loads(index).items() if k[:3] != "zod"}))
    assert world.fetch().returncode == 1
    (world.shelf / "index.json").write_text(index)
    world.calls_file.unlink()
    assert world.fetch().returncode == 0
    (call,) = world.calls()
    assert call[-1] == "zod@4.1.8"
    assert names(world.folder / ".cache/hermetic-harness/pins") == set()


def test_progress_is_one_plain_line_a_step(world: World) -> None:
    lines = world.fetch().stderr.splitlines()
    assert len(lines) == 4
    assert all(line.startswith(("fetched: ", "added to the store: 9 of 9 files")) for line in lines)
    assert "\r" not in "".join(lines)


def test_without_nix_the_advice_is_setup(world: World) -> None:
    (world.bin / "nix-store").unlink()
    done = world.fetch("--from", str(world.shelf))
    assert done.returncode == 4
    assert "nix/setup.sh" in done.stderr


def test_pins_that_are_no_json_are_a_usage_error(world: World) -> None:
    (world.folder / "deb.json").write_text("{")
    done = world.fetch()
    assert done.returncode == 2
    assert "can't be read" in done.stderr


@pytest.mark.parametrize("arguments", [["--from", "a", "--to", "b"], ["--only", "x"], ["--jobs", "0"], ["--nonsense"]])
def test_wrong_arguments_are_refused(world: World, arguments: list[str]) -> None:
    assert world.fetch(*arguments).returncode == 2
