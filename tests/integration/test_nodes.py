"""The harness as one file: on a machine whose /nix it covers, and on one that has none."""

import asyncio
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.store.nodeimage import writing
from tests.integration.conftest import Harness, command
from tests.sandbox.conftest import gone_within, tree

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

#: Runs "$@" where / is as on this machine, but without /nix. $1 is an empty folder.
WITHOUT_NIX = """
set -e
new=$1
shift
mount -t tmpfs root "$new"
mount --make-unbindable "$new"
for each in /*; do
    [ "$each" != /nix ] || continue
    if [ -L "$each" ]; then cp -P "$each" "$new/"
    elif [ -d "$each" ]; then mkdir "$new$each"; mount --rbind "$each" "$new$each"
    fi
done
mkdir "$new/.before"
cd "$new"
pivot_root . .before
umount -l /.before
rmdir /.before
cd /
exec "$@"
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file, made by the command."""
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("/dev/fuse can't be opened: `sh nix/setup.sh` as root opens it")
    file = tmp_path_factory.mktemp("nodes") / "image"
    made = subprocess.run(command("bundle", "--squashfs", file, "--json"), capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    told = json.loads(made.stdout)
    assert (told["bytes"], told["new"]) == (file.stat().st_size, True)
    return file


@pytest.fixture
def env(environment: dict[str, str], short_folder: Path) -> dict[str, str]:
    """What a node has: nothing that names a part of the harness."""
    kept = {name: value for name, value in environment.items() if not name.startswith("HARNESS_")}
    return {**kept, "HARNESS_STATE_DIR": str(short_folder)}


def _scratch(env: dict[str, str]) -> set[str]:
    """What is in the user's scratch folder, the digests and numbers of the names left out."""
    folder = Path(env["HARNESS_STATE_DIR"]) / f"hermetic-{os.getuid()}"
    return {path.name.partition("-")[0].rstrip("0123456789") for path in folder.iterdir()}


async def test_without_a_nix_a_rollout_is_what_it_is_elsewhere(
    image: Path, env: dict[str, str], harness: Harness, tmp_path: Path
) -> None:
    """The file is all that is left of the harness there; afterwards nothing runs and no state is left."""
    asked = ("eval", "babyvision", "--demo", "--limit", "1", "--json", "--run")
    tools = Path(os.environ[writing.VARIABLE]) / "bin"
    (tmp_path / "root").mkdir()
    around = [str(tools / "unshare"), "--user", "--map-root-user", "--map-auto", "--mount"]
    shell = [str(tools / "busybox"), "sh", "-c", f"PATH=$PATH:/bin:/usr/bin:/sbin:/usr/sbin{WITHOUT_NIX}", "sh"]
    missing = ["sh", "-c", '[ ! -e /nix ] || exit 99; exec "$@"', "sh"]
    within = [*around, *shell, str(tmp_path / "root"), *missing, str(image), *asked, str(tmp_path / "R")]
    done = await asyncio.to_thread(subprocess.run, within, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["measured"], found["coverage"]) == (1, 1.0)
    usual = await harness(*asked, tmp_path / "usual")
    assert usual.summary is not None
    assert usual.summary["content_digest"] == found["content_digest"]
    assert _scratch(env) == {"mapping", "node", "root"}


def test_doctor_says_out_of_which_file_it_runs(image: Path, env: dict[str, str]) -> None:
    done = subprocess.run([image, "doctor", "--json"], env=env, capture_output=True, text=True, check=False)
    checks = {one["name"]: one for one in json.loads(done.stdout)["checks"]}
    assert done.returncode == 0, {name: one for name, one in checks.items() if one["state"] == "failed"}
    assert checks["/nix"]["found"] == f"not needed: this harness runs out of {image}"
    assert checks["modes"]["found"] == "out of the Nix store: not seen from here; as a squashfs image: yes"


@pytest.fixture
def started(image: Path, env: dict[str, str], tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A demo that has come as far as its first sandbox."""
    asked = ["eval", "babyvision", "--demo", "--limit", "1", "--json", "--run", str(tmp_path / "R")]
    with subprocess.Popen(
        [image, *asked], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            _until_it_has_a_sandbox(process)
            yield process
        finally:
            process.kill()
            process.communicate()
            # What sandboxes' ids own can be removed in a namespace only. Sources in this user's home are not meant.
            taken = {**env, "HOME": str(tmp_path)}
            subprocess.run([image, "gc", "--delete"], env=taken, capture_output=True, check=True)


def _until_it_has_a_sandbox(process: subprocess.Popen[Any]) -> None:
    deadline = time.monotonic() + 300
    while not _running(tree(process.pid), "opencode"):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _running(pids: list[int], program: str) -> list[int]:
    """Those whose command line names a program: squashfuse is started through its loader, whose name it has."""
    return [pid for pid in pids if program in {Path(word).name for word in _command(pid).split("\0")}]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_killed_it_takes_all_with_it(started: subprocess.Popen[str], env: dict[str, str]) -> None:
    everyone = tree(started.pid)
    assert all(_running(everyone, program) for program in ("squashfuse", "podman"))
    started.kill()
    assert gone_within(everyone, 5) == []
    assert _scratch(env) == {"mapping", "node", "p"}  # the state goes when the next one starts


def test_a_signal_is_the_harnesss_even_where_the_whole_group_gets_it(started: subprocess.Popen[str]) -> None:
    """A batch system signals every process of a job: what holds the image must outlive the harness's own end."""
    everyone = tree(started.pid)
    os.killpg(started.pid, signal.SIGTERM)
    (server,) = _running(everyone, "squashfuse")
    os.kill(server, signal.SIGTERM)
    _, said = started.communicate(timeout=120)
    assert started.returncode == 130, said
    assert gone_within(everyone, 5) == []


def test_the_same_paths_give_the_same_bytes(tmp_path: Path) -> None:
    tools, runtime = (os.environ[name] for name in (writing.VARIABLE, "HARNESS_RUNTIME"))
    for name, paths in (("one", [tools, runtime]), ("two", [runtime, tools])):
        writing.write(paths, tools, Path(tools), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
