"""pins/fetch when clients are missing, fail, deliver wrong bytes or are interrupted."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pinworld import World, names


def wait_for(path: Path, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.02)


@pytest.mark.parametrize(("kind", "name"), [("deb", "git"), ("wheel", "rich"), ("npm", "zod")])
def test_wrong_bytes_from_a_registry_are_refused(world: World, tmp_path: Path, kind: str, name: str) -> None:
    right = str(world.pins[kind][name]["sha256"])
    file = world.change(kind, name).name
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
