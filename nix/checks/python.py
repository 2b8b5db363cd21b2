"""The interpreter: its extension modules work, and nothing of it lies outside the Nix store."""

import bz2
import ctypes
import curses
import hashlib
import lzma
import multiprocessing
import readline
import sqlite3
import ssl
import sys
import uuid
import venv
import zlib
import zoneinfo
from pathlib import Path

from job import OUT

USED = (bz2, curses, lzma, multiprocessing, readline, sqlite3, uuid, venv, zlib, zoneinfo)


def mapped_libraries() -> list[str]:
    """The shared libraries of this process."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return sorted({line.split(maxsplit=5)[5] for line in lines if ".so" in line})


def main() -> None:
    """Try what is apt to be missing; list the libraries in ``OUT``."""
    ctypes.CDLL("libstdc++.so.6")  # what manylinux promises to wheels
    hashlib.scrypt(b"a", salt=b"b", n=2, r=1, p=1)
    ssl.create_default_context()
    sqlite3.connect(":memory:").execute("select 1")
    libraries = mapped_libraries()
    strangers = [path for path in [*libraries, *sys.path, sys.executable] if not path.startswith("/nix/store/")]
    if strangers:
        sys.exit(f"The interpreter uses what lies outside the Nix store: {strangers}")
    OUT.write_text("\n".join([sys.version, *libraries]) + "\n")


main()
