"""pins/fetch --from: files out of a folder, no client is called."""

from pathlib import Path

from pinworld import World


def test_a_listing_by_the_stores_owner_serves_another_users_download(world: World, tmp_path: Path) -> None:
    world.fetch()
    world.store_path("npm", "zod").unlink()
    listed = world.fetch("--check")
    assert (listed.returncode, listed.stdout) == (4, "zod-4.1.8.tgz\n")
    assert world.fetch("--to", str(tmp_path / "to"), "--only", "-", given=listed.stdout).returncode == 0
    assert world.fetch("--from", str(tmp_path / "to")).returncode == 0
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
    world.change("npm", "zod")
    done = world.fetch("--from", str(world.shelf))
    assert done.returncode == 5
    assert "Refused zod-4.1.8.tgz" in done.stderr
    assert right in done.stderr
    assert done.stderr.count("sha256 ") == 2
    assert not world.store_path("npm", "zod").exists()


def test_without_nix_the_advice_is_setup(world: World) -> None:
    (world.bin / "nix-store").unlink()
    done = world.fetch("--from", str(world.shelf))
    assert done.returncode == 4
    assert "nix/setup.sh" in done.stderr
