"""Podman's private state: its configuration, its owner's lock, and finding it when the owner is dead."""

import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from harness.sandbox import namespace, state
from harness.sandbox.runtime import Runtime

RUNTIME = Runtime(Path("/nix/store/x-runtime"), Path("/nix/store/x-rootfs"))
FOLDER = Path("/var/tmp/hermetic-1/p1")
HOLD = """
import os, pathlib, sys
from harness.sandbox import state
print(state.claim(pathlib.Path(sys.argv[1])) is not None, flush=True)
sys.stdin.read()
"""


def test_containers_conf(snapshot: SnapshotAssertion) -> None:
    text = state.containers_conf(FOLDER, RUNTIME)
    assert tomllib.loads(text) == snapshot


def test_storage_conf(snapshot: SnapshotAssertion) -> None:
    assert tomllib.loads(state.storage_conf(FOLDER)) == snapshot


def test_the_services_environment_holds_no_secret() -> None:
    ours = {
        "PATH": "/p",
        "POLICY_API_KEY": "secret",
        namespace.CONFIGURED: "done",
        namespace.HOST_UID: "1",
        namespace.HOST_GID: "2",
    }
    env = state.environment(state.State(FOLDER, -1), ours)
    assert "secret" not in env.values()
    assert {key for key, value in env.items() if not value.startswith(str(FOLDER))} == set(ours) - {"POLICY_API_KEY"}


def _kept(folder: Path) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "True\n"
    return holder


def test_a_folder_belongs_to_its_owner_until_that_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "p7-x"
    folder.mkdir()
    with _kept(folder) as owner:
        assert state.claim(folder) is None
        assert list(state.dead(tmp_path)) == []
        owner.kill()
    (left,) = state.dead(tmp_path)
    assert left.folder == folder
    state.remove(left)
    assert not folder.exists()


def test_only_one_sweeper_gets_a_dead_folder(tmp_path: Path) -> None:
    (tmp_path / "p7-x").mkdir()
    (left,) = state.dead(tmp_path)
    assert list(state.dead(tmp_path)) == []
    os.close(left.lock)


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "p-file").write_text("")
    assert list(state.dead(tmp_path)) == []


@pytest.fixture
def runtime(tmp_path: Path) -> Runtime:
    (tmp_path / "r/share/containers").mkdir(parents=True)
    (tmp_path / "r/share/containers/seccomp.json").write_text('{"syscalls": []}')
    return Runtime(tmp_path / "r", tmp_path / "f")


def test_a_new_one_is_owned_from_its_first_moment(tmp_path: Path, runtime: Runtime) -> None:
    made = state.create(tmp_path, runtime, {namespace.OUTER_VARIABLE: "4711"})
    assert made.name.startswith("p4711-")
    assert list(state.dead(tmp_path)) == []
    assert made.seccomp.read_bytes()
    state.remove(made)
    assert not made.folder.exists()


def test_sandboxes_pass_through_but_only_where_they_must(tmp_path: Path, runtime: Runtime) -> None:
    before = os.umask(0o077)
    try:
        made = state.create(tmp_path, runtime, {})
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in made.folder.iterdir()}
    assert modes["boxes"] == 0o711
    assert modes["conf"] == 0o700
    assert made.folder.stat().st_mode & 0o777 == 0o711
    state.remove(made)


@pytest.fixture
def short_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ht-") as name:  # tmp_path is too long for what stands below a state
        yield Path(name)


def test_a_scratch_folder_goes_at_the_end_and_with_the_next_process(short_folder: Path) -> None:
    env = {"HARNESS_STATE_DIR": str(short_folder), namespace.HOST_UID: str(os.getuid())}
    with state.scratch(env) as folder:
        (folder / "puzzles").write_text("x")
        assert list(state.dead(folder.parent)) == []
    assert not folder.exists()

    folder.mkdir()  # as a killed process leaves it
    (folder / "puzzles").write_text("x")
    (left,) = state.dead(folder.parent)
    state.remove(left)
    assert not folder.exists()
