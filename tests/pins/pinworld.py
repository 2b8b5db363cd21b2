"""A small world for the fetch step: three pins of each kind, a shelf that the fake clients serve them from, a store."""

import hashlib
import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from fetching import storepath
from resolving.entries import store_name

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("deb", "wheel", "npm")


def make_deb(content: bytes) -> bytes:
    """A Debian package, as far as its one file /bin/busybox goes."""
    tree = io.BytesIO()
    with tarfile.open(fileobj=tree, mode="w:xz") as tar:
        member = tarfile.TarInfo("./bin/busybox")
        member.size, member.mode = len(content), 0o755
        tar.addfile(member, io.BytesIO(content))
    deb = b"!<arch>\n"
    for name, data in (("debian-binary", b"2.0\n"), ("control.tar.xz", b"odd"), ("data.tar.xz", tree.getvalue())):
        deb += f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)
    return deb


@attrs.define
class World:
    """``shelf`` is what the clients serve, ``bin`` is the PATH, ``folder`` holds pins/fetch with its own pins."""

    folder: Path
    shelf: Path
    bin: Path
    store: Path
    pins: dict[str, dict[str, dict[str, object]]]

    def fetch(self, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run pins/fetch with nothing on its PATH but the fakes."""
        return subprocess.run(
            [sys.executable, self.folder / "fetch", *arguments],
            env=self.environment(),
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def environment(self) -> Mapping[str, str]:
        """Where the fakes find what they need."""
        return {
            "PATH": str(self.bin),
            "HOME": str(self.folder),
            "NIX_STORE_DIR": str(self.store),
            "FAKE_SHELF": str(self.shelf),
            "FAKE_CALLS": str(self.calls_file),
            "FAKE_MODULES": str(ROOT / "pins"),
        }

    @property
    def calls_file(self) -> Path:
        return self.folder / "calls"

    def calls(self) -> list[list[str]]:
        """The command lines that the fakes were called with, but for nix-store's."""
        lines = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        return [call for call in map(json.loads, lines) if call[0] != "nix-store"]

    def file(self, kind: str, name: str) -> Path:
        """A pinned file on the shelf."""
        return self.shelf / str(self.pins[kind][name]["file"])

    def change(self, kind: str, name: str) -> Path:
        """Let the registry deliver other bytes of the same length."""
        path = self.file(kind, name)
        path.write_bytes(path.read_bytes()[::-1])
        return path

    def store_path(self, kind: str, name: str) -> Path:
        """Where the store keeps it."""
        pin = self.pins[kind][name]
        return Path(storepath.of_file(str(pin["store"]), str(pin["sha256"]), str(self.store)))

    def all_files(self) -> set[str]:
        """The names of all pinned files."""
        return {str(pin["file"]) for kind in KINDS for pin in self.pins[kind].values()}


def make_pins(shelf: Path, executable: bytes) -> dict[str, dict[str, dict[str, object]]]:
    contents: Sequence[tuple[str, str, str, str, bytes]] = (
        ("deb", "busybox-static", "1:1.35.0-4~b1", "busybox-static_1%3a1.35.0-4~b1_amd64.deb", make_deb(executable)),
        ("deb", "bash", "5.2", "bash_5.2_amd64.deb", b"bash"),
        ("deb", "git", "2.39", "git_2.39_amd64.deb", b"git"),
        ("wheel", "numpy", "2.4.6", "numpy-2.4.6-cp311-cp311-manylinux_2_28_x86_64.whl", b"numpy"),
        ("wheel", "rich", "15.0.0", "rich-15.0.0-py3-none-any.whl", b"rich"),
        ("wheel", "attrs", "26.1.0", "attrs-26.1.0-py3-none-any.whl", b"attrs"),
        ("npm", "@ai-sdk/provider", "3.0.8", "ai-sdk-provider-3.0.8.tgz", b"provider"),
        ("npm", "zod", "4.1.8", "zod-4.1.8.tgz", b"zod"),
        ("npm", "ini", "7.0.0", "ini-7.0.0.tgz", b"ini"),
    )
    pins: dict[str, dict[str, dict[str, object]]] = {kind: {} for kind in KINDS}
    for kind, name, version, file, content in contents:
        (shelf / file).write_bytes(content)
        pins[kind][name] = {
            "name": name,
            "version": version,
            "file": file,
            "store": store_name(file),
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    return pins


def names(folder: Path) -> set[str]:
    """The files of a folder, but for the hidden ones."""
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}
