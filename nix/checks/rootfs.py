"""The sandbox's root file system: what must be there is there, what must not isn't, and its programs run."""

import hashlib
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import listing
from job import INPUTS, OUT

ROOTFS = Path(INPUTS["rootfs"])
ROOT = ROOTFS / "root"
LIBRARIES = [ROOT / "usr/lib/x86_64-linux-gnu", ROOT / "usr/lib"]
TOOLKIT = ROOT / "usr/local/lib/python3.11/dist-packages"
CONFIG = ROOT / "opt/opencode/xdg-config/opencode"

OPENCODE_SHA256 = "0254a429cd0e6cf0ba53fc01672cf98e4a8dc728f7fa94be88f1e4b3645e6ded"  # package/bin/opencode of 1.17.11
PLUGINS = 27

NEEDED = [
    "bin/sh",
    "bin/bash",
    "bin/cat",
    "usr/bin/env",
    "usr/bin/git",
    "usr/bin/python3",
    "usr/bin/python",
    "usr/bin/awk",
    "usr/bin/which",
    "usr/local/bin/rg",
    "etc/mtab",
    "etc/hosts",
    "etc/hostname",
    "etc/resolv.conf",
    "etc/machine-id",
    "etc/passwd",
    "etc/group",
    "etc/nsswitch.conf",
    "etc/gitconfig",
    "etc/ssl/certs/ca-certificates.crt",
    "etc/os-release",
    "etc/localtime",
    "usr/lib/locale/C.utf8/LC_CTYPE",
    "var/lib/dpkg/status",
    "proc",
    "sys",
    "dev",
    "run",
]
WRITABLE_MOUNTS = ["tmp", "workspace", "home", "task"]
UNWANTED = ["usr/bin/perl", "run/.containerenv"]

IMPORTS = (
    "import numpy, scipy.ndimage, scipy.stats, cv2, PIL.Image, ssl, sqlite3; print(numpy.__version__, cv2.__version__)"
)


def expect(holds: bool, complaint: str) -> None:
    """End the check with ``complaint`` unless ``holds``."""
    if not holds:
        sys.exit(complaint)


def check_files() -> None:
    """Needed and unwanted paths, modes, users."""
    missing = [path for path in NEEDED if not os.path.lexists(ROOT / path)]
    expect(not missing, f"missing in the tree: {missing}")
    present = [path for path in [*WRITABLE_MOUNTS, *UNWANTED] if os.path.lexists(ROOT / path)]
    expect(not present, f"must not be in the tree: {present}")
    merged = {name: str((ROOT / name).readlink()) for name in ("bin", "sbin", "lib", "lib64")}
    expect(all(target == f"usr/{name}" for name, target in merged.items()), f"/usr is not merged: {merged}")
    for path in ROOT.rglob("*"):
        special = path.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID)
        expect(not special, f"{path} has a set-user-id or set-group-id bit")
    users = (ROOT / "etc/passwd").read_text().splitlines()
    expect("user:x:1000:1000:user:/home:/bin/bash" in users, "no user with id 1000 and home /home in etc/passwd")


def check_opencode() -> None:
    """The agent's executable, and the folder that keeps it from installing anything."""
    digest = hashlib.sha256((ROOT / "opt/opencode/bin/opencode").read_bytes()).hexdigest()
    expect(digest == OPENCODE_SHA256, f"opencode has sha256 {digest}, expected {OPENCODE_SHA256}")
    lock = json.loads((CONFIG / "package-lock.json").read_text())
    wanted = json.loads((CONFIG / "package.json").read_text())["dependencies"]
    expect(lock["lockfileVersion"] == 3, f"lockfileVersion is {lock['lockfileVersion']}, expected 3")
    expect(lock["packages"][""]["dependencies"] == wanted, "package-lock.json doesn't list what package.json wants")
    modules = [path for path in lock["packages"] if path]
    expect(len(modules) == PLUGINS, f"{len(modules)} plugin packages, expected {PLUGINS}")
    for path in modules:
        version = json.loads((CONFIG / path / "package.json").read_text())["version"]
        locked = lock["packages"][path]["version"]
        expect(version == locked, f"{path} has version {version}, package-lock.json says {locked}")
    expect((CONFIG / ".gitignore").exists(), "no .gitignore beside package.json: OpenCode would try to write one")


def run(program: str, *arguments: str) -> str:
    """Run a program of the tree through the tree's own loader; nothing else of it is seen."""
    loader = ROOT / "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
    environment = {"PYTHONHOME": str(ROOT / "usr"), "PYTHONPATH": str(TOOLKIT), "HOME": os.environ["NIX_BUILD_TOP"]}
    library_path = ":".join(str(folder) for folder in LIBRARIES)
    command: list[str | Path] = [loader, "--library-path", library_path, ROOT / program, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.strip()


def check_digest() -> str:
    """The listing and its digest say what is in the tree."""
    text = listing.text(listing.walk(ROOT))
    expect(text == (ROOTFS / "listing").read_text(), "the listing differs from the tree")
    digest = hashlib.sha256(text.encode()).hexdigest()
    expect(
        digest == (ROOTFS / "sha256").read_text().strip(), f"the listing has sha256 {digest}, the tree claims another"
    )
    return digest


def main() -> None:
    """Check everything; say what was seen in ``OUT``."""
    check_files()
    check_opencode()
    versions = [run("usr/bin/python3.11", "-s", "-B", "-c", IMPORTS), run("usr/bin/git", "--version")]
    rg = subprocess.run([ROOT / "usr/local/bin/rg", "--version"], check=True, capture_output=True, text=True)
    OUT.write_text("\n".join([check_digest(), *versions, rg.stdout.splitlines()[0]]) + "\n")


main()
