"""npm packages: the versions that wanted.toml names, with the registry's integrity checked."""

import base64
import hashlib
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fetching.catalog import Pin
from fetching.clients import CLIENTS
from fetching.problems import BadInputError, PinsError, WrongBytesError
from resolving.entries import Entries, Entry, Members, ask, store_name
from resolving.wanted import WantedSet


def resolve(sets: Sequence[WantedSet], known: Entries) -> tuple[Entries, Members]:
    """The pins of npm sets, and which set holds which; a version that ``known`` has is taken from there.

    Raises:
        PinsError: a package could not be had.
        WrongBytesError: it does not match the registry's integrity value.
    """
    entries: Entries = {}
    members: Members = {}
    for wanted in sets:
        members[wanted.name] = []
        for spec in wanted.want:
            name, _, version = spec.rpartition("@")
            if not name:
                raise BadInputError(f"{wanted.label}: {spec} names no version.")
            same = name in known and known[name]["version"] == version
            # A published version never changes.
            entries[name] = known[name] if same else _new(name, version)
            members[wanted.name].append(name)
        members[wanted.name].sort()
    return entries, members


def _new(name: str, version: str) -> Entry:
    file = f"{name.lstrip('@').replace('/', '-')}-{version}.tgz"
    npm = CLIENTS["npm"]
    integrity = json.loads(ask([npm.command(), "view", "--json", f"{name}@{version}", "dist.integrity"]))
    with tempfile.TemporaryDirectory() as folder:
        complaint = npm.download([Pin("npm", name, version, file, file, 0, "")], Path(folder))
        if complaint:
            raise PinsError(f"Could not get {name}@{version}. npm said:\n  {complaint}")
        content = Path(folder, file).read_bytes()
    found = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
    if found != integrity:
        raise WrongBytesError(f"{name}@{version}: the registry says {integrity}, the file has {found}.")
    return {
        "name": name,
        "version": version,
        "file": file,
        "store": store_name(file),
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
