"""The sandbox's root file system: ``root`` (the tree), ``listing`` (see listing.py) and ``sha256`` (its digest).

Inputs: ``debs``, ``wheels``, ``opencode`` and ``ripgrep`` (npm tarballs), ``plugins`` (npm tarballs and versions by
package name), ``files`` (text by path) and ``links`` (targets by path).
"""

import hashlib
import json
import tarfile
from pathlib import Path

import deb
import listing
from bytecode import compile_tree
from job import INPUTS, OUT, paths
from tree import Tree
from wheel import Target, unpack

PYTHON = "usr/lib/python3.11"
TOOLKIT = "usr/local/lib/python3.11/dist-packages"
OPENCODE = "opt/opencode"
CONFIG = f"{OPENCODE}/xdg-config/opencode"
PLUGIN = "@opencode-ai/plugin"
USER = "user:x:1000:1000:user:/home:/bin/bash\n"
GROUP = "user:x:1000:\n"

# runc gives a tmpfs the mode of the folder that it covers, and in a Nix store every folder is 0555: so what is to be
# writable must not exist. runc then makes it itself, directly under /.
MADE_BY_RUNC = ("tmp", "home", "workspace", "task")


def add_system(tree: Tree, debs: list[Path]) -> None:
    """The Debian packages, and what their maintainer scripts would have made."""
    for package in debs:
        tree.unpack(package)
    controls = sorted(deb.control(package) for package in debs)
    stanzas = [text.replace("\n", "\nStatus: install ok installed\n", 1).rstrip("\n") + "\n" for text in controls]
    tree.file("var/lib/dpkg/status", "\n".join(stanzas))  # for vulnerability scanners
    master = tree.root / "usr/share/base-passwd"
    tree.file("etc/passwd", (master / "passwd.master").read_text().replace("*", "x") + USER)
    tree.file("etc/group", (master / "group.master").read_text() + GROUP)
    certificates = sorted((tree.root / "usr/share/ca-certificates").rglob("*.crt"))
    tree.file("etc/ssl/certs/ca-certificates.crt", b"".join(path.read_bytes() for path in certificates))


def unpack_npm(tree: Tree, tarball: Path, target: str) -> None:
    """Unpack an npm package: all of its files lie under one folder, whatever that is called."""
    with tarfile.open(tarball) as tar:
        for info in tar:
            file = tar.extractfile(info) if info.isreg() else None
            if file:
                tree.file(f"{target}/{info.name.split('/', 1)[1]}", file.read(), bool(info.mode & 0o111))


def add_opencode(tree: Tree, tarball: Path, plugins: dict[str, dict[str, str]]) -> None:
    """OpenCode, and a configuration folder in which it finds everything that it would install otherwise."""
    unpack_npm(tree, tarball, OPENCODE)
    for name, plugin in plugins.items():
        unpack_npm(tree, Path(plugin["tarball"]), f"{CONFIG}/node_modules/{name}")
    wanted = {"dependencies": {PLUGIN: plugins[PLUGIN]["version"]}}
    modules = {f"node_modules/{name}": {"version": plugin["version"]} for name, plugin in plugins.items()}
    lock = {"name": "opencode", "lockfileVersion": 3, "requires": True, "packages": {"": wanted, **modules}}
    tree.file(f"{CONFIG}/package.json", json.dumps(wanted) + "\n")
    tree.file(f"{CONFIG}/package-lock.json", json.dumps(lock, indent=2) + "\n")
    tree.file(f"{CONFIG}/opencode.jsonc", '{\n  "$schema": "https://opencode.ai/config.json"\n}\n')
    # Without it OpenCode ends at once in a folder that it can't write to.
    tree.file(f"{CONFIG}/.gitignore", "node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore\n")


def add_toolkit(tree: Tree, wheels: list[Path]) -> None:
    """What an agent computes with, for the tree's own Python."""
    local = tree.root / "usr/local"
    target = Target(site=tree.root / TOOLKIT, scripts=local / "bin", data=local, shebang="#!/usr/bin/python3")
    for wheel in wheels:
        unpack(wheel, target)


def main() -> None:
    """Assemble the tree in ``OUT``."""
    root = OUT / "root"
    tree = Tree(root)
    add_system(tree, paths("debs"))
    add_toolkit(tree, paths("wheels"))
    add_opencode(tree, Path(INPUTS["opencode"]), INPUTS["plugins"])
    with tarfile.open(INPUTS["ripgrep"]) as tar:
        program = tar.extractfile("package/bin/rg")
        tree.file("usr/local/bin/rg", program.read() if program else b"", executable=True)
    for path, text in INPUTS["files"].items():
        tree.file(path, text)
    for path in ("var/tmp", *MADE_BY_RUNC):
        tree.drop(path)
    for path, target in INPUTS["links"].items():
        tree.link(path, target)
    # The wheels' own tests are left uncompiled: nobody runs them.
    compile_tree(root / PYTHON, root / TOOLKIT, root=root, skip="/tests?/", check=False)

    text = listing.text(listing.walk(root))
    (OUT / "listing").write_text(text)
    (OUT / "sha256").write_text(hashlib.sha256(text.encode()).hexdigest() + "\n")


main()
