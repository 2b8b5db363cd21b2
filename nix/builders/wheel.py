"""Unpacking wheels: the part of an installer that pinned wheels need."""

import configparser
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = """\
import sys
from {module} import {first}
sys.exit({attribute}())
"""


@dataclass(frozen=True)
class Target:
    """Where a wheel's parts go, and what the first line of its scripts says."""

    site: Path
    scripts: Path
    data: Path
    shebang: str


def put(path: Path, content: bytes, executable: bool = False) -> None:
    """Write a file that must not exist yet."""
    if path.exists():
        raise FileExistsError(f"two sources ship {path}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755 if executable else 0o644)


def write_launchers(entry_points: str, target: Target) -> None:
    """Write a script for each console script of an ``entry_points.txt``."""
    parser = configparser.ConfigParser(delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # names keep their case
    parser.read_string(entry_points)
    for name, reference in parser["console_scripts"].items() if parser.has_section("console_scripts") else ():
        module, attribute = reference.split("[")[0].strip().split(":")
        text = LAUNCHER.format(module=module, attribute=attribute, first=attribute.split(".")[0])
        put(target.scripts / name, f"{target.shebang}\n{text}".encode(), executable=True)


def unpack(wheel: Path, target: Target) -> None:
    """Install ``wheel`` into ``target``. Headers are left out: nothing is compiled against them."""
    with zipfile.ZipFile(wheel) as archive:
        for info in sorted(archive.infolist(), key=lambda info: info.filename):
            if not info.is_dir():
                _unpack_member(info.filename, archive.read(info), bool(info.external_attr >> 16 & 0o111), target)


def _unpack_member(name: str, content: bytes, executable: bool, target: Target) -> None:
    special = re.fullmatch(r"[^/]+\.data/(?P<kind>\w+)/(?P<rest>.+)", name)
    kind, rest = special.group("kind", "rest") if special else ("purelib", name)
    if kind in ("purelib", "platlib"):
        put(target.site / rest, content, executable)
    elif kind == "scripts":
        if content.startswith(b"#!python"):
            content = target.shebang.encode() + content[content.index(b"\n") :]
        put(target.scripts / rest, content, executable=True)
    elif kind == "data":
        put(target.data / rest, content, executable)
    if name.endswith(".dist-info/entry_points.txt"):
        write_launchers(content.decode(), target)
