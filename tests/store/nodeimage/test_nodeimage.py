"""The file for machines without /nix: where its parts stand, and what its header says of a machine that lacks much."""

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from harness.errors import HarnessError, HostUnfitError
from harness.store.nodeimage import writing

#: Stands for mksquashfs: what it was asked for, at the place that it was told.
SQUASH = """#!{python}
import sys
*paths, = sys.argv[1 : sys.argv.index("-noappend") - 1]
with open(sys.argv[len(paths) + 1], "wb") as file:
    file.seek(int(sys.argv[-1]))
    file.write(" ".join(paths).encode().ljust(8192, b"."))
"""


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """Programs that do nothing, and a mksquashfs that says what it was asked."""
    folder = tmp_path / "tools"
    for name in (*(f"bin/{name}" for name in writing.PROGRAMS), "lib/libc.so.6", "bin/mksquashfs"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"I am {name}")
    (folder / "bin/mksquashfs").write_text(SQUASH.format(python=sys.executable))
    (folder / "bin/mksquashfs").chmod(0o755)
    return folder


@pytest.fixture
def image(tools: Path, tmp_path: Path) -> Path:
    writing.write(["/nix/store/b-2", "/nix/store/a-1"], "/nix/store/a-1", tools, tmp_path / "image")
    return tmp_path / "image"


def _numbers(image: Path) -> dict[str, int]:
    text = image.read_bytes()[: 3 * writing.BLOCK].partition(b"\0")[0].decode()
    return {name: int(value) for name, value in re.findall(r"^(\w+)=(\d+) *$", text, re.MULTILINE)}


def test_its_parts_stand_where_the_header_says(image: Path) -> None:
    found, data = _numbers(image), image.read_bytes()
    assert data.startswith(b"#!/bin/sh\n")
    assert os.access(image, os.X_OK)
    assert found["size"] == len(data)
    begin, end = (at * found["block"] for at in (found["tools_first"], found["tools_first"] + found["tools_blocks"]))
    with tarfile.open(fileobj=io.BytesIO(data[begin:end])) as packed:
        names = {each.name for each in packed if each.isfile()}
    assert names == {"bin/inside.sh", "bin/busybox", "bin/setpriv", "bin/squashfuse", "bin/unshare", "lib/libc.so.6"}
    assert data[found["image_first"] * found["block"] :].startswith(b"/nix/store/a-1 /nix/store/b-2...")


def test_the_order_in_which_paths_are_named_changes_nothing(image: Path, tools: Path, tmp_path: Path) -> None:
    writing.write(["/nix/store/a-1", "/nix/store/b-2"], "/nix/store/a-1", tools, tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == image.read_bytes()


def test_what_mksquashfs_says_is_told(tools: Path, tmp_path: Path) -> None:
    (tools / "bin/mksquashfs").write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no room')\n")
    with pytest.raises(HarnessError, match="mksquashfs failed: no room"):
        writing.write(["/nix/store/a-1", "/nix/store/b-2"], "/nix/store/a-1", tools, tmp_path / "image")


def test_a_single_path_would_become_the_root_folder(tools: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="single"):
        writing.write(["/nix/store/a-1"], "/nix/store/a-1", tools, tmp_path / "image")


def test_without_the_tools_it_says_how_to_start() -> None:
    with pytest.raises(HostUnfitError, match="HARNESS_SQUASHFS is not set"):
        writing.tools_of({})


def _run(image: Path, tmp_path: Path, user: str = "nobody-of-here") -> subprocess.CompletedProcess[str]:
    """The header on a machine that has hardly any programs, run by a user that no file knows."""
    shell, programs = shutil.which("sh"), tmp_path / "programs"
    assert shell is not None
    programs.mkdir()
    (programs / "id").write_text(f'#!{shell}\ncase $1 in -u) echo 4242 ;; *) echo "{user}" ;; esac\n')
    (programs / "id").chmod(0o755)
    for name in ("wc", "mkdir", "chmod"):
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    env = {"PATH": str(programs), "HARNESS_STATE_DIR": str(tmp_path / "state")}
    return subprocess.run([shell, str(image), "doctor"], env=env, capture_output=True, text=True, check=False)


def test_all_that_a_machine_lacks_is_said_at_once(image: Path, tmp_path: Path) -> None:
    done = _run(image, tmp_path)
    assert done.returncode == 4, done
    assert "There is no newuidmap on PATH.\n  -> As root: apt-get install uidmap\n" in done.stderr
    assert "There is no newgidmap on PATH." in done.stderr
    # Whose name it is depends on the shell: busybox's has an id of its own.
    assert re.search(r"/etc/subuid gives user \S+ no range of at least 2000 ids\.", done.stderr)
    assert "/etc/subgid gives" in done.stderr
    assert not (tmp_path / "state").exists()


def test_one_that_was_not_copied_whole_says_so(image: Path, tmp_path: Path) -> None:
    whole = image.stat().st_size
    os.truncate(image, whole - 1)
    done = _run(image, tmp_path)
    assert done.returncode == 4
    assert f"has {whole - 1} bytes, but should have {whole}: it was not copied whole." in done.stderr
