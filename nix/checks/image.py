"""The sandbox's image: every digest is right, and it holds what the root file system holds."""

import hashlib
import json
import sys
import tarfile
from pathlib import Path
from typing import Any

import listing
from job import INPUTS, OUT

IMAGE, ROOTFS = Path(INPUTS["image"]), Path(INPUTS["rootfs"])
MOUNTS = {"tmp", "home", "workspace", "task"}


def blob(descriptor: dict[str, Any]) -> Path:
    """The blob that a descriptor names, once its size and digest are checked."""
    path = IMAGE.joinpath("blobs", *descriptor["digest"].split(":"))
    with path.open("rb") as file:
        digest = f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
    if (digest, path.stat().st_size) != (descriptor["digest"], descriptor["size"]):
        sys.exit(f"{path} has digest {digest} and {path.stat().st_size} bytes; its descriptor says {descriptor}")
    return path


def entry(tar: tarfile.TarFile, info: tarfile.TarInfo) -> listing.Entry:
    """The entry of a listing for a member of a layer."""
    if (info.uid, info.gid, info.mtime) != (0, 0, 0) or info.mode & 0o6000:
        sys.exit(f"{info.name} in a layer has owner {info.uid}:{info.gid}, time {info.mtime}, mode {info.mode:o}")
    if info.isdir():
        return listing.Entry("d", "", info.name)
    if info.issym():
        return listing.Entry("l", info.linkname, info.name)
    file = tar.extractfile(info)
    digest = hashlib.sha256(file.read() if file else b"").hexdigest()
    return listing.Entry("x" if info.mode & 0o100 else "f", digest, info.name)


def layer_entries(path: Path) -> list[listing.Entry]:
    """What a layer holds, but for the folders that are there to be mounted over."""
    with tarfile.open(path) as tar:
        return [entry(tar, info) for info in tar if info.name not in MOUNTS]


def main() -> None:
    """Compare image and tree; name the image's configuration in ``OUT``."""
    (named,) = json.loads((IMAGE / "index.json").read_text())["manifests"]
    manifest = json.loads(blob(named).read_text())
    config = json.loads(blob(manifest["config"]).read_text())
    layers = [blob(layer) for layer in manifest["layers"]]
    if config["rootfs"]["diff_ids"] != [layer["digest"] for layer in manifest["layers"]]:
        sys.exit("the configuration names other layers than the manifest")
    held = listing.text(entry for layer in layers for entry in layer_entries(layer))
    if held != (ROOTFS / "listing").read_text():
        sys.exit("the image holds other files than the root file system")
    OUT.write_text(f"{manifest['config']['digest']}\n")


main()
