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


NEEDED = ("chmod", "dd", "ls", "mkdir", "mv", "rm", "sha256sum", "sync", "tar", "wc")


def _run(image: Path, tmp_path: Path, user: str = "nobody-of-here", **fakes: str) -> subprocess.CompletedProcess[str]:
    """The header on a machine that has hardly any programs, run by a user that no file knows.

    ``fakes``: what further programs do, as shell scripts.
    """
    shell, programs = shutil.which("sh"), tmp_path / "programs"
    assert shell is not None
    programs.mkdir()
    fakes = {"id": f'case $1 in -u) echo 4242 ;; *) echo "{user}" ;; esac', **fakes}
    for name, script in fakes.items():
        (programs / name).write_text(f"#!{shell}\n{script}\n")
        (programs / name).chmod(0o755)
    for name in NEEDED:
        found = shutil.which(name)
        assert found is not None
        if name not in fakes:
            (programs / name).symlink_to(found)
    env = {"PATH": str(programs), "HARNESS_STATE_DIR": str(tmp_path / "state")}
    return subprocess.run([shell, str(image), "doctor"], env=env, capture_output=True, text=True, check=False)


#: The shell of a build, busybox's, calls its own programs whatever PATH says: stand-ins need another.
needs_stand_ins = pytest.mark.integration

#: Root needs no helpers and no ranges of ids.
ROOT = "echo 0"


@pytest.fixture
def ready(image: Path) -> Path:
    """The image on a machine whose /dev/fuse is any device that can be opened."""
    image.write_bytes(image.read_bytes().replace(b"/dev/fuse", b"/dev/null"))
    return image


def _scratch(tmp_path: Path) -> Path:
    """Where the image's programs go when root starts it."""
    maps = (line.split() for line in Path("/proc/self/uid_map").read_text().splitlines())
    return tmp_path / f"state/hermetic-{next((outside for inside, outside, _ in maps if inside == '0'), '0')}"


@needs_stand_ins
@pytest.mark.skipif(os.geteuid() == 0, reason="nothing here is another's to root")
def test_nothing_is_run_out_of_a_folder_that_another_user_made(ready: Path, tmp_path: Path) -> None:
    """Root may do anything in it; that tells nothing about whose it is."""
    name = re.findall(
        r"^tools_name=(\S+)$", ready.read_bytes()[: 3 * writing.BLOCK].decode(errors="replace"), re.MULTILINE
    )[0]
    loader = _scratch(tmp_path) / name / "lib/ld-linux-x86-64.so.2"
    loader.parent.mkdir(parents=True)
    loader.write_text(f"#!{shutil.which('sh')}\n: >{tmp_path}/stolen\n")
    loader.chmod(0o755)
    done = _run(ready, tmp_path, id=ROOT)
    assert done.returncode == 4, done
    assert "can't be made, or is not a folder of user 0" in done.stderr
    assert not (tmp_path / "stolen").exists()


@needs_stand_ins
@pytest.mark.skipif(os.geteuid() == 0, reason="nothing here is another's to root")
def test_where_a_link_leads_nothing_is_changed(ready: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir(mode=0o700)
    _scratch(tmp_path).parent.mkdir()
    _scratch(tmp_path).symlink_to(secret)
    assert _run(ready, tmp_path, id=ROOT).returncode == 4
    assert secret.stat().st_mode & 0o777 == 0o700
    assert list(secret.iterdir()) == []


#: As if every folder were root's.
OWNED = '[ -d "$2" ] && echo drwx--x--x 2 0 0'


@needs_stand_ins
def test_programs_that_lack_one_are_unpacked_again(ready: Path, tmp_path: Path) -> None:
    for _ in range(2):
        done = _run(ready, tmp_path, id=ROOT, ls=OWNED)
        assert "The namespace for the image can't be made" in done.stderr  # there is nothing but stand-ins in it
        (unpacked,) = _scratch(tmp_path).iterdir()
        assert (unpacked / "bin/unshare").read_text() == "I am bin/unshare"
        assert sorted(path.name for path in unpacked.iterdir()) == ["bin", "lib"]
        (unpacked / "bin/unshare").unlink()
        shutil.rmtree(tmp_path / "programs")


@needs_stand_ins
def test_changed_programs_are_not_unpacked(ready: Path, tmp_path: Path) -> None:
    data = ready.read_bytes()
    assert data.count(b"I am bin/unshare") == 1
    ready.write_bytes(data.replace(b"I am bin/unshare", b"I am BIN/unshare"))
    done = _run(ready, tmp_path, id=ROOT, ls=OWNED)
    assert done.returncode == 4, done
    assert f"{ready} was changed: its programs are not those that it was made with." in done.stderr
    assert list(_scratch(tmp_path).iterdir()) == []


@needs_stand_ins
def test_without_programs_it_says_which(image: Path, tmp_path: Path) -> None:
    shell = shutil.which("sh")
    assert shell is not None
    done = subprocess.run([shell, str(image)], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert done.returncode == 4, done
    assert "There is no chmod dd id ls mkdir mv rm sha256sum sync tar wc on PATH." in done.stderr


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
