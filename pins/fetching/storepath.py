"""Where Nix keeps a file of known content: computed, so that looking for 200 pins starts no process.

The rules are those of the Nix manual, "Store path specification", for fixed-output paths without references.
"""

import hashlib
import os

DEFAULT_STORE = "/nix/store"
_DIGITS = "0123456789abcdfghijklmnpqrsvwxyz"
_HASH_BYTES = 20


def store_folder() -> str:
    """The store's folder; NIX_STORE_DIR is Nix's own variable for another one."""
    return os.environ.get("NIX_STORE_DIR", DEFAULT_STORE)


def base32(data: bytes) -> str:
    """Nix's base 32: its own digits, the last bits first."""
    number = int.from_bytes(data, "little")
    length = (len(data) * 8 - 1) // 5 + 1
    return "".join(_DIGITS[number >> 5 * place & 31] for place in reversed(range(length)))


def _path(kind: str, sha256: str, name: str, store: str) -> str:
    digest = hashlib.sha256(f"{kind}:sha256:{sha256}:{store}:{name}".encode()).digest()
    folded = bytearray(_HASH_BYTES)
    for index, byte in enumerate(digest):
        folded[index % _HASH_BYTES] ^= byte
    return f"{store}/{base32(bytes(folded))}-{name}"


def of_file(name: str, sha256: str, store: str) -> str:
    """Path of the file ``name`` whose bytes have the hexadecimal ``sha256`` (``nix-store --add-fixed sha256``)."""
    inner = hashlib.sha256(f"fixed:out:sha256:{sha256}:".encode()).hexdigest()
    return _path("output:out", inner, name, store)


def of_tree(name: str, nar_sha256: str, store: str) -> str:
    """Path of the folder ``name`` whose NAR has the hexadecimal ``nar_sha256`` (``--add-fixed --recursive sha256``)."""
    return _path("source", nar_sha256, name, store)
