"""The installer on a small bundle, with stand-ins for Nix: what it refuses, what it asks for, what it leaves."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest

from harness.errors import EXIT_CHECK, EXIT_ERROR, EXIT_HOST, EXIT_OK, EXIT_USAGE
from harness.store.bundle.contents import Contents
from harness.store.bundle.writing import write

pytestmark = pytest.mark.integration  # needs a shell

FAKES = Path(__file__).parent / "fakes"
NIX = Path("/nix/var/nix/db/db.sqlite")


@attrs.frozen
class World:
    """An unpacked bundle and a home to install it into."""

    bundle: Path
    home: Path
    bin: Path

    def install(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.bin}:/usr/sbin:/usr/bin:/sbin:/bin"
        given = {"PATH": path, "HOME": str(self.home), "FAKE": str(self.home.parent), **env}
        command = ["sh", str(self.bundle / "install"), *arguments]
        return subprocess.run(command, env=given, capture_output=True, text=True, cwd=self.home.parent)

    def sums(self, change: Callable[[str], str] = lambda text: text) -> None:
        """Write SHA256SUMS anew, so that it is right again."""
        names = sorted(path.relative_to(self.bundle).as_posix() for path in self.bundle.rglob("*") if path.is_file())
        lines = (f"{hashlib.sha256((self.bundle / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
        text = "".join(line for line in lines if not line.endswith("  SHA256SUMS\n"))
        (self.bundle / "SHA256SUMS").write_text(change(text))

    @property
    def installed(self) -> list[str]:
        """Everything in the home."""
        return sorted(path.relative_to(self.home).as_posix() for path in self.home.rglob("*") if not path.is_dir())


@pytest.fixture
def world(contents: Contents, dump: Callable[[Path], Iterator[bytes]], tmp_path: Path) -> World:
    if not os.access(NIX, os.W_OK):
        pytest.skip("the installer looks for a store of this user's, or a daemon's")
    with (tmp_path / "b.tar").open("xb") as file:
        write(contents, file, lambda line: None, dump)
    subprocess.run(["tar", "-xf", "b.tar"], cwd=tmp_path, check=True)
    shutil.copytree(FAKES, tmp_path / "bin")
    for copied in (tmp_path / "bin", *(tmp_path / "bin").iterdir()):
        copied.chmod(0o755)
    (tmp_path / "valid").write_text("")
    (tmp_path / "home").mkdir()
    return World(tmp_path / "hermetic-harness", tmp_path / "home", tmp_path / "bin")


def test_it_installs_paths_roots_link_and_data(world: World, contents: Contents) -> None:
    done = world.install()
    assert done.returncode == EXIT_OK, done.stderr
    state, data = world.home / ".local/state/hermetic", world.home / ".local/share/hermetic-harness"
    assert (world.home / ".local/bin/harness").readlink() == state / f"harness-{'b' * 32}/bin/harness"
    assert str((state / f"harness-{'b' * 32}").readlink()) == contents.harness
    assert str((state / f"source-{'c' * 32}").readlink()) == contents.source
    assert (data / "set/zip.json").read_text() == "{}"
    assert (data / f"set/blobs/sha256/{'0' * 64}").read_text() == "an image"
    assert len(world.installed) == 5
    assert f"{world.home}/.local/bin/harness doctor" in done.stdout
    copied = next(line for line in (world.home.parent / "calls").read_text().splitlines() if line.startswith("nix "))
    paths = " ".join(path.path for path in contents.paths)
    assert copied == f"nix --offline copy --no-check-sigs --from file://{world.bundle}/cache {paths}"


def test_a_second_call_copies_nothing(world: World) -> None:
    assert world.install().returncode == EXIT_OK
    (world.home.parent / "calls").unlink()
    before = [(name, (world.home / name).lstat().st_ino) for name in world.installed if "share" in name]
    again = world.install()
    assert again.returncode == EXIT_OK
    assert " copy " not in (world.home.parent / "calls").read_text()
    assert before == [(name, (world.home / name).lstat().st_ino) for name in world.installed if "share" in name]


def test_a_half_installed_store_is_completed(world: World, contents: Contents) -> None:
    stopped = world.install(FAKE_STOP=contents.paths[1].path)
    assert stopped.returncode == EXIT_ERROR
    assert "the same command goes on" in stopped.stderr
    assert world.installed == []
    assert world.install().returncode == EXIT_OK
    assert (world.home.parent / "valid").read_text().split() == [path.path for path in contents.paths]


def test_a_damaged_store_path_is_put_right(world: World, contents: Contents) -> None:
    """It was there before: what is copied now, Nix itself proves."""
    assert world.install(FAKE_ROTTEN=contents.paths[0].path).returncode == EXIT_OK
    assert not (world.home.parent / "repaired").exists()
    again = world.install(FAKE_ROTTEN=contents.paths[0].path)
    assert again.returncode == EXIT_OK
    assert f"putting right what was damaged in the store: {contents.paths[0].path}\n" in again.stderr
    calls = (world.home.parent / "calls").read_text()
    assert (
        f"nix-store --repair-path {contents.paths[0].path} --option substituters file://{world.bundle}/cache" in calls
    )


def test_a_damaged_data_set_is_put_right(world: World) -> None:
    assert world.install().returncode == EXIT_OK
    blob = world.home / f".local/share/hermetic-harness/set/blobs/sha256/{'0' * 64}"
    blob.write_text("rotten")
    (blob.parent / ".installing").write_text("of an installer that was killed")
    assert world.install().returncode == EXIT_OK
    assert blob.read_text() == "an image"
    assert len(world.installed) == 5


def test_folders_can_be_named(world: World) -> None:
    done = world.install("--to", "links", "--data-dir", "my data")
    assert done.returncode == EXIT_OK, done.stderr
    assert (world.home.parent / "links/harness").is_symlink()
    assert (world.home.parent / "my data/set/zip.json").is_file()


@pytest.mark.parametrize("arguments", [["--to"], ["--to", ""], ["--force"], ["here"]])
def test_a_wrong_call_is_told_so(world: World, arguments: list[str]) -> None:
    done = world.install(*arguments)
    assert done.returncode == EXIT_USAGE
    assert "usage: sh hermetic-harness/install" in done.stderr


def refused(world: World, *said: str) -> None:
    done = world.install()
    assert done.returncode == EXIT_CHECK, done.stderr
    for words in said:
        assert words in done.stderr
    assert "Nothing was installed" in done.stderr
    assert world.installed == []
    assert not (world.home.parent / "calls").exists()


ARCHIVE = f"cache/nar/{'a' * 32}.nar.zst"
INFO = f"cache/{'a' * 32}.narinfo"


@pytest.mark.parametrize("name", ["install", "bundle.json", "cache/nix-cache-info", INFO, ARCHIVE, "data/set/zip.json"])
def test_a_changed_byte_is_found(world: World, name: str) -> None:
    file = world.bundle / name
    file.write_bytes(file.read_bytes() + b"\n")
    refused(world, f"{name}: FAILED")


@pytest.mark.parametrize("name", ["bundle.json", "cache/nix-cache-info", INFO, ARCHIVE, "data/set/zip.json"])
def test_a_lost_file_is_found(world: World, name: str) -> None:
    (world.bundle / name).unlink()
    refused(world, f"{name} is missing")


@pytest.mark.parametrize("name", [INFO, ARCHIVE])
def test_a_store_path_that_was_taken_out_is_found(world: World, name: str) -> None:
    (world.bundle / name).unlink()
    world.sums()
    refused(world, f"/nix/store/{'a' * 32}-python is missing")


@pytest.mark.parametrize("name", ["more", "cache/nar/more", ".hidden", "data/..more"])
def test_a_further_file_is_refused(world: World, name: str) -> None:
    (world.bundle / name).write_text("")
    refused(world, "holds files that SHA256SUMS doesn't name")


def test_a_name_of_two_lines_is_no_two_files(world: World) -> None:
    """Together with the files of both names, and both named twice, its lines are those of SHA256SUMS."""
    for name in ("data/set/p", "data/set/q"):
        (world.bundle / name).write_text(name)
    world.sums(lambda text: "".join(sorted([*text.splitlines(True), *(_twice(text))], key=lambda line: line[66:])))
    (world.bundle / "data/set/p\ndata/set").mkdir(parents=True)
    (world.bundle / "data/set/p\ndata/set/q").write_text("")
    refused(world, "a line's end in its name")


def _twice(text: str) -> list[str]:
    return [line for line in text.splitlines(True) if line.endswith(("/p\n", "/q\n"))]


@pytest.mark.parametrize("name", ["bundle.json", "SHA256SUMS", "cache", "data/set/zip.json"])
def test_a_link_is_not_followed(world: World, name: str) -> None:
    (world.bundle / name).rename(world.home.parent / "elsewhere")
    (world.bundle / name).symlink_to(world.home.parent / "elsewhere")
    refused(world)


def test_a_fifo_is_not_waited_for(world: World) -> None:
    os.mkfifo(world.bundle / "cache/fifo")
    refused(world, "is no plain file")


@pytest.mark.parametrize(
    "line",
    [
        f"{'0' * 64}  ../../secret\n",
        f"{'0' * 64}  data/../../secret\n",
        f"{'0' * 64}  /etc/passwd\n",
        f"{'0' * 64}  data/set/-rf\n",
        f"{'0' * 64}  data/set/*\n",
        f"{'0' * 64}  elsewhere\n",
        f"\\{'0' * 64}  data/set/x\n",
        "no digest at all\n",
        "\n",
    ],
)
def test_sums_of_what_no_bundle_holds_are_refused(world: World, line: str) -> None:
    world.sums(lambda text: text + line)
    refused(world, "SHA256SUMS")


def test_sums_that_are_cut_short_are_refused(world: World) -> None:
    world.sums(lambda text: text[: len(text) // 2])
    refused(world)
    world.sums(lambda _: "")
    refused(world)


def test_sums_that_name_a_file_twice_are_refused(world: World) -> None:
    world.sums(lambda text: text + text.splitlines(keepends=True)[0])
    refused(world, "names one twice")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("URL: nar/", "URL: ../../../secret/"),
        ("-python\nURL", "-other\nURL"),
        ("Compression: zstd", "Compression: none"),
        ("NarSize: 1500", "NarSize: 1"),
        ("References: ", f"References: {'e' * 32}-else"),
        ("References: ", "References: *"),
        ("References: ", "Deriver: x\nReferences: "),
        ("StorePath: /nix/store/", "StorePath: /nix/other/"),
    ],
)
def test_what_nix_would_be_told_has_one_form(world: World, old: str, new: str) -> None:
    info = world.bundle / INFO
    text = info.read_text()
    assert old in text
    info.write_text(text.replace(old, new))
    world.sums()
    refused(world, INFO)


def test_a_further_line_in_place_of_the_last_end_is_refused(world: World) -> None:
    info = world.bundle / INFO
    info.write_text(info.read_text().replace("\nFileSize", "\nURL: ../elsewhere\nFileSize").rstrip("\n"))
    world.sums()
    refused(world, INFO)


def test_a_cache_for_another_store_is_refused(world: World) -> None:
    (world.bundle / "cache/nix-cache-info").write_text("StoreDir: /other/store\n")
    world.sums()
    refused(world, "another store")


def test_signs_that_move_the_cursor_do_not_reach_the_terminal(world: World) -> None:
    (world.bundle / "\x1b[2Jx").symlink_to("/")
    done = world.install()
    assert done.returncode == EXIT_CHECK
    assert "\x1b" not in done.stderr


def lacks(world: World, **env: str) -> str:
    done = world.install(**env)
    assert done.returncode == EXIT_HOST, done.stderr
    assert "the bundle is whole, but this machine lacks something" in done.stderr
    assert world.installed == []
    return done.stderr


def test_all_that_is_missing_is_said_at_once(world: World, tmp_path: Path) -> None:
    """A PATH with the coreutils and nothing else, and a link that is somebody's own."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in (
        *("cat", "cp", "cut", "df", "dirname", "du", "echo", "id", "ln", "mkdir", "mv", "printf", "readlink"),
        *("sha256sum", "sort", "stat", "sync", "tail", "tr", "uname", "wc"),
    ):
        (tools / name).symlink_to(f"/usr/bin/{name}")
    (world.home / "read-only").mkdir(mode=0o500)
    shell = shutil.which("sh")
    assert shell is not None
    (tools / "sh").symlink_to(shell)
    said = lacks(world, PATH=str(tools), XDG_DATA_HOME=str(world.home / "read-only"), XDG_STATE_HOME="/proc")
    (world.home / "read-only").chmod(0o700)
    assert "There is no Nix." in said
    assert "apt-get install --no-install-recommends nix-bin" in said
    assert "There are no newuidmap and newgidmap." in said
    assert "/proc/hermetic can't be made or written to" in said
    assert "read-only/hermetic-harness can't be made or written to" in said


def test_without_the_coreutils_it_says_so_at_once(world: World, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    shell = shutil.which("sh")
    assert shell is not None
    command = [shell, str(world.bundle / "install")]
    done = subprocess.run(command, env={"PATH": str(tmp_path / "none")}, capture_output=True, text=True)
    assert done.returncode == EXIT_HOST, done.stderr
    assert "there is no cat cp cut" in done.stderr


def test_another_sha256sum_is_not_taken_for_damage(world: World) -> None:
    (world.bin / "sha256sum").write_text("#!/bin/sh\necho unrecognized option >&2\nexit 1\n")
    (world.bin / "sha256sum").chmod(0o755)
    done = world.install()
    assert done.returncode == EXIT_ERROR, done.stderr
    assert "sha256sum here is not the coreutils'" in done.stderr


@pytest.mark.parametrize("name", ["HOME", "XDG_STATE_HOME", "HARNESS_DATA_DIR"])
def test_a_folder_relative_to_nothing_is_refused(world: World, name: str) -> None:
    """The installer works in the bundle's folder: there it would install."""
    assert "must be full paths" in lacks(world, **{name: "here"})
    assert not (world.bundle / "here").exists()


def test_somebody_elses_link_stays(world: World) -> None:
    link = world.home / ".local/bin/harness"
    link.parent.mkdir(parents=True)
    link.write_text("mine")
    done = world.install()
    assert done.returncode == EXIT_HOST
    assert "is there already and not this installer's" in done.stderr
    assert link.read_text() == "mine"


def test_another_data_set_stays(world: World) -> None:
    record = world.home / ".local/share/hermetic-harness/set/zip.json"
    record.parent.mkdir(parents=True)
    record.write_text("of another")
    done = world.install()
    assert done.returncode == EXIT_HOST
    assert "of another data set" in done.stderr
    assert record.read_text() == "of another"
