"""An archive of a real run, carried by a real registry client."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.integration

Skopeo = Callable[..., Awaitable[bytes]]


@pytest.fixture
def skopeo(tmp_path: Path) -> Skopeo:
    """Runs Debian's skopeo, which reaches nothing but files here."""
    program = os.environ.get("HARNESS_SKOPEO")
    if not program:
        pytest.skip("HARNESS_SKOPEO is not set: run these by `nix run .#tests`")
    (tmp_path / "scratch").mkdir()

    async def run(*arguments: str) -> bytes:
        process = await asyncio.create_subprocess_exec(
            program,
            "--insecure-policy",
            f"--tmpdir={tmp_path}/scratch",
            *arguments,
            env={"HOME": f"{tmp_path}/scratch"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        assert process.returncode == 0, err.decode()
        return out

    return run


async def test_a_registry_client_carries_an_archive(
    harness: Callable[..., Awaitable[Any]], skopeo: Skopeo, tmp_path: Path
) -> None:
    played = await harness("eval", "babyvision", "--demo", "--limit", "2", "--json", "--run", tmp_path / "R")
    assert played.status == 0, played.said
    archived = await harness("archive", tmp_path / "R", tmp_path / "r.tar", "--json")
    assert archived.status == 0, archived.said
    again = await harness("archive", tmp_path / "R", tmp_path / "again.tar", "--json")
    assert (tmp_path / "r.tar").read_bytes() == (tmp_path / "again.tar").read_bytes(), again.said

    # to another layout and back; it has no wish to change anything on the way, whether it is told to or not
    await skopeo("copy", f"oci-archive:{tmp_path}/r.tar", f"oci:{tmp_path}/layout:tag")
    await skopeo("copy", "--preserve-digests", f"oci:{tmp_path}/layout:tag", f"oci-archive:{tmp_path}/back.tar:tag")
    manifest = await skopeo("inspect", "--raw", f"oci-archive:{tmp_path}/back.tar")
    assert json.loads(manifest)["annotations"] == {
        "vnd.hermetic-harness.benchmark": "babyvision",
        "vnd.hermetic-harness.model": archived.summary["model"],
        "vnd.hermetic-harness.manifest": played.summary["manifest"],
        "vnd.hermetic-harness.content": played.summary["content_digest"],
        "vnd.hermetic-harness.rollouts": "2",
    }
    for source in ("r.tar", "layout", "back.tar"):
        target = tmp_path / f"from-{source}"
        imported = await harness("import", tmp_path / source, target, "--json")
        assert imported.status == 0, imported.said
        assert imported.summary["digest"] == archived.summary["digest"]
        files = carried(target)
        # What an archive states of itself becomes a file of the run that is made of it.
        assert json.loads(files.pop("provenance.json"))["subject"]
        assert files == carried(tmp_path / "R")
        assert (await harness("verify", target)).status == 0


def carried(root: Path) -> dict[str, bytes]:
    """The files that an archive has of a run."""
    derived = ("report.html", "rollouts.parquet")
    files = (path for path in root.rglob("*") if path.is_file() and path.name not in derived)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
