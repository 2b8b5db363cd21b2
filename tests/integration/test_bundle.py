"""A real bundle of the harness under test: an installer that is killed goes on, and damage is refused."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.bundles import Bundle
from tests.integration.fresh import Fresh, made

pytestmark = pytest.mark.integration


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Fresh]:
    yield from made(tmp_path / "machine")


def test_an_installer_that_is_killed_goes_on(bundle: Bundle, fresh: Fresh) -> None:
    """Killed while it checks, with the database just made, in the midst of a large path, and before the link."""
    install = bundle.unpacked(fresh.home)
    store = fresh.nix / "store"
    for sign in (
        lambda: True,
        lambda: (fresh.nix / "var/nix/db").exists(),
        lambda: any(store.glob("*-sandbox-rootfs/root/usr")),
        lambda: any(store.glob("*-hermetic-harness/bin")),
    ):
        running = fresh.start("sh", install)
        while not sign() and running.poll() is None:
            time.sleep(0.02)
        running.kill()
        running.wait()

    done = fresh.run("sh", install)
    assert done.status == 0, done.err
    paths = [each["path"] for each in bundle.description["paths"]]
    whole = fresh.run("nix-store", "--verify-path", *paths)
    assert whole.status == 0, whole.err
    assert fresh.run(fresh.home / ".local/bin/harness", "--version").status == 0

    # as if the power had gone before the kernel had written everything
    python = next(store.glob("*-python-3.11.2/bin/python3.11"))
    python.parent.chmod(0o755)
    python.unlink()
    again = fresh.run("sh", install)
    assert again.status == 0, again.err
    assert "every store path is there already" in again.err
    assert "putting right what was damaged" in again.err
    assert fresh.run(fresh.home / ".local/bin/harness", "--version").status == 0

    roots = fresh.run("nix-store", "--gc", "--print-dead")
    assert not set(paths) & set(roots.out.split()), "a root was to keep every path"


def test_a_damaged_bundle_is_refused(bundle: Bundle, fresh: Fresh) -> None:
    install = bundle.unpacked(fresh.home)
    nar = max((install.parent / "cache/nar").iterdir(), key=lambda path: path.stat().st_size)
    with nar.open("r+b") as file:
        file.seek(-1000, 2)
        file.write(b"!")
    done = fresh.run("sh", install)
    assert done.status == 5
    assert f"cache/nar/{nar.name}: FAILED" in done.err
    with contextlib.suppress(FileNotFoundError):
        assert not list((fresh.nix / "store").iterdir())
    assert [path.name for path in fresh.home.iterdir()] == ["hermetic-harness"]
