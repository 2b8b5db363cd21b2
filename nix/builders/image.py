"""The sandbox as an OCI image: a layout folder, its layers uncompressed, made of the same tree as the rootfs.

Inputs: ``rootfs``, ``name``, ``layers`` (prefixes of paths by layer; the rest goes to the first), ``mounts`` (modes of
empty folders by path: the harness mounts a tmpfs there, another runtime finds a folder) and ``config`` (the image's).
"""

import hashlib
import json
import tarfile
from pathlib import Path
from typing import Any, NamedTuple

import listing
from job import INPUTS, OUT

BLOBS = OUT / "blobs/sha256"
CREATED = "1970-01-01T00:00:00Z"
MEDIA = "application/vnd.oci.image"


class Layer(NamedTuple):
    """A finished layer: what it holds, the SHA-256 of its tar file, and its size in bytes."""

    name: str
    digest: str
    size: int


def header(entry: listing.Entry) -> tarfile.TarInfo:
    """A tar header that knows nothing of the build: owner root, time 0."""
    info = tarfile.TarInfo(entry.path)
    info.mode = 0o755 if entry.kind in "dx" else 0o644
    if entry.kind == "d":
        info.type = tarfile.DIRTYPE
    elif entry.kind == "l":
        info.type, info.linkname, info.mode = tarfile.SYMTYPE, entry.value, 0o777
    return info


def write_layer(name: str, root: Path, entries: list[listing.Entry], mounts: dict[str, str]) -> Layer:
    """Write the tar file of ``entries`` and of the empty folders ``mounts``."""
    draft = BLOBS / "draft"
    with tarfile.open(draft, "w", format=tarfile.PAX_FORMAT) as tar:
        for entry in entries:
            info = header(entry)
            if entry.kind in "fx":
                info.size = (root / entry.path).stat().st_size
                with (root / entry.path).open("rb") as file:
                    tar.addfile(info, file)
            else:
                tar.addfile(info)
        for path, mode in sorted(mounts.items()):
            info = header(listing.Entry("d", "", path))
            info.mode = int(mode, 8)
            tar.addfile(info)
    with draft.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Layer(name, digest, draft.rename(BLOBS / digest).stat().st_size)


def split(entries: list[listing.Entry], layers: dict[str, list[str]]) -> dict[str, list[listing.Entry]]:
    """The entries of each layer; what no layer claims by a prefix goes to the first."""
    parts: dict[str, list[listing.Entry]] = {name: [] for name in layers}
    first = next(iter(layers))
    for entry in entries:
        claims = (name for name, prefixes in layers.items() if f"{entry.path}/".startswith(tuple(prefixes)))
        parts[next(claims, first)].append(entry)
    return parts


def write_json(value: Any) -> dict[str, Any]:
    """Write a blob of JSON; returns the digest and size by which others name it."""
    raw = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    digest = hashlib.sha256(raw).hexdigest()
    (BLOBS / digest).write_bytes(raw)
    return {"digest": f"sha256:{digest}", "size": len(raw)}


def write_layout(layers: list[Layer]) -> None:
    """Write configuration, manifest and index."""
    config = {
        "architecture": "amd64",
        "os": "linux",
        "created": CREATED,
        "config": INPUTS["config"],
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer.digest}" for layer in layers]},
        "history": [{"created": CREATED, "created_by": layer.name} for layer in layers],
    }
    tars = [{"digest": f"sha256:{layer.digest}", "size": layer.size} for layer in layers]
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{MEDIA}.manifest.v1+json",
        "config": {"mediaType": f"{MEDIA}.config.v1+json", **write_json(config)},
        "layers": [{"mediaType": f"{MEDIA}.layer.v1.tar", **tar} for tar in tars],
    }
    named = {"annotations": {"org.opencontainers.image.ref.name": INPUTS["name"]}}
    index = {"schemaVersion": 2, "manifests": [{"mediaType": manifest["mediaType"], **write_json(manifest), **named}]}
    (OUT / "index.json").write_text(json.dumps(index, sort_keys=True))
    (OUT / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')


def main() -> None:
    """Write the image to ``OUT``."""
    BLOBS.mkdir(parents=True)
    rootfs = Path(INPUTS["rootfs"])
    # The config carries the tree's digest, so that the image says which root file system it equals.
    INPUTS["config"]["Labels"] = {"harness.rootfs.sha256": (rootfs / "sha256").read_text().strip()}
    parts = split(listing.parse((rootfs / "listing").read_text()), INPUTS["layers"])
    layers: list[Layer] = []
    for name, entries in parts.items():
        mounts = INPUTS["mounts"] if not layers else {}
        layers.append(write_layer(name, rootfs / "root", entries, mounts))
    write_layout(layers)


main()
