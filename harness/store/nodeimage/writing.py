"""Writing an image: the header, the tar and the squashfs one behind the other."""

import importlib.resources
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from harness.errors import HarnessError, HostUnfitError
from harness.store.archive import tar
from harness.store.digests import digest

#: Where the harness's wrapper says mksquashfs and the nodes' programs are.
VARIABLE: Final = "HARNESS_SQUASHFS"
BLOCK: Final = 4096
PROGRAMS: Final = ("busybox", "setpriv", "squashfuse", "unshare")
#: Nothing in the image tells who wrote it, when, or on what: owners, times, extended attributes, hard links of a store
#: that was optimised. Nix gives every file second 1.
OPTIONS: Final = (
    *("-noappend", "-no-progress", "-quiet", "-no-xattrs", "-no-hardlinks", "-all-root"),
    *("-all-time", "1", "-mkfs-time", "1", "-comp", "zstd", "-Xcompression-level", "3"),
)


def tools_of(env: Mapping[str, str]) -> Path:
    """The folder that `VARIABLE` names; raises HostUnfitError where it is not set."""
    if not env.get(VARIABLE):
        raise HostUnfitError(f"{VARIABLE} is not set.", "Start the harness by `nix run`, which sets it.")
    return Path(env[VARIABLE])


def write(paths: Sequence[str], harness: str, tools: Path, target: Path) -> None:
    """Write the image of store paths to ``target``, as an executable file.

    Args:
        harness: the one of the paths whose ``bin/harness`` is started.

    Raises HarnessError: mksquashfs failed; OSError.
    """
    files = _files(tools)
    packed = _tar(files)
    packed += bytes(-len(packed) % BLOCK)  # its name on a node is the digest of what stands in the image
    facts = {
        "HARNESS": harness,
        "BLOCK": str(BLOCK),
        "TOOLS_BLOCKS": str(blocks(packed)),
        "TOOLS_NAME": f"node-{digest(packed)[:16]}",
        "TOOLS_FILES": str(len(files)),
    }
    # The numbers that follow from the header's length have one width, whatever they are.
    first = blocks(header({**facts, "TOOLS_FIRST": 0, "IMAGE_FIRST": 0, "SIZE": 0}))
    start = (first + blocks(packed)) * BLOCK
    squash(paths, tools / "bin/mksquashfs", target, start)
    places = {"TOOLS_FIRST": first, "IMAGE_FIRST": first + blocks(packed), "SIZE": target.stat().st_size}
    with target.open("r+b") as file:
        file.write(header({**facts, **places}))
        file.seek(first * BLOCK)
        file.write(packed)
    target.chmod(0o755)


def squash(paths: Sequence[str], program: Path, target: Path, start: int) -> None:
    """Write a squashfs of ``paths`` to ``target`` from the byte ``start`` on; raises HarnessError where that fails."""
    if len(paths) < 2:
        raise ValueError("of a single folder mksquashfs makes the root itself")
    command = [str(program), *sorted(paths), str(target), *OPTIONS, "-offset", str(start)]
    done = subprocess.run(command, env={}, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise HarnessError(f"mksquashfs failed: {(done.stderr or done.stdout).strip()[-500:]}")


def header(facts: Mapping[str, str | int]) -> bytes:
    """The header with its facts; numbers are written in 15 digits, so that the length doesn't depend on them."""
    text = _part("header.sh").decode()
    for name, value in facts.items():
        text = text.replace(f"@{name}@", f"{value:<15}" if isinstance(value, int) else value)
    return text.encode()


def blocks(data: bytes) -> int:
    """How many blocks it takes."""
    return -(-len(data) // BLOCK)


def _tar(files: Mapping[str, bytes]) -> bytes:
    members = (part for name in sorted(files) for part in _member(name, files[name]))
    return b"".join([tar.folder("bin"), tar.folder("lib"), *members, tar.END])


def _files(tools: Path) -> dict[str, bytes]:
    """What is unpacked on a node, by its name there."""
    files = {f"bin/{name}": (tools / "bin" / name).read_bytes() for name in PROGRAMS}
    files |= {f"lib/{path.name}": path.read_bytes() for path in (tools / "lib").iterdir()}
    return {**files, "bin/inside.sh": _part("inside.sh")}


def _member(name: str, data: bytes) -> tuple[bytes, bytes, bytes]:
    return tar.header(name, len(data)), data, tar.padding(len(data))


def _part(name: str) -> bytes:
    return (importlib.resources.files("harness.store.nodeimage") / name).read_bytes()
