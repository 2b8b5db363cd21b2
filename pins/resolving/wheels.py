"""PyPI wheels: the closure of each set as pip resolves it, with PyPI's own hashes."""

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from fetching.clients import CLIENTS, WHEEL_FLAGS
from fetching.problems import PinsError, WrongBytesError
from resolving.entries import Entries, Entry, Members, ask, store_name
from resolving.wanted import WantedSet

# Other places that this machine may be told to take wheels from.
_ELSEWHERE = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CONSTRAINT", "PIP_PRE")


def normalised(name: str) -> str:
    """A project's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _environment(pip: str) -> dict[str, str]:
    """pip without this machine's settings, but for the certificates that it needs to get out at all."""
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    with contextlib.suppress(PinsError):  # none is set, which is the usual case
        kept.setdefault("PIP_CERT", ask([pip, "config", "get", "global.cert"]).strip())
    return {**kept, "PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def resolve(sets: Sequence[WantedSet], known: Entries, members: Members) -> tuple[Entries, Members]:
    """The pins of wheel sets, and which set holds which.

    A project has one version in all sets: what ``known`` has, and then what an earlier set took, binds the later ones.
    The result has no sizes yet.

    Raises:
        PinsError: pip found no solution.
        WrongBytesError: a file's hash is not PyPI's.
    """
    pip = CLIENTS["wheel"].command()
    environment = _environment(pip)
    entries: Entries = {}
    found: Members = {}
    for wanted in sets:
        below = _below(wanted, {**members, **found})
        versions = {name: entry["version"] for name, entry in {**known, **entries}.items()}
        closure = _closure(pip, environment, [*wanted.want, *below], versions)
        entries |= closure
        found[wanted.name] = sorted(set(closure) - set(below))
    return entries, found


def _below(wanted: WantedSet, members: Members) -> list[str]:
    if wanted.on is None:
        return []
    if wanted.on not in members:
        raise PinsError(f"{wanted.label} stands on {wanted.on}: resolve that set first.")
    return members[wanted.on]


def _closure(pip: str, environment: Mapping[str, str], wanted: Sequence[str], versions: Mapping[str, str]) -> Entries:
    with tempfile.TemporaryDirectory() as folder:
        constraints, report = Path(folder, "constraints.txt"), Path(folder, "report.json")
        constraints.write_text("".join(f"{name}=={version}\n" for name, version in versions.items()))
        flags = ["--quiet", "--dry-run", "--ignore-installed", *WHEEL_FLAGS, f"--target={folder}"]
        ask([pip, "install", *flags, f"--report={report}", f"--constraint={constraints}", *wanted], environment)
        installs = json.loads(report.read_text())["install"]
    return {entry["name"]: entry for entry in (_entry(each) for each in installs)}


def _entry(install: dict[str, dict[str, object]]) -> Entry:
    download = json.loads(json.dumps(install["download_info"]))
    name, version = normalised(str(install["metadata"]["name"])), str(install["metadata"]["version"])
    address = urlsplit(download["url"])
    sha256 = download["archive_info"].get("hashes", {}).get("sha256")
    if address.scheme != "https" or not sha256:
        raise WrongBytesError(f"pip took {name} {version} from {download['url']}, which is not PyPI.")
    file = unquote(address.path.rsplit("/", 1)[1])
    return {"name": name, "version": version, "file": file, "store": store_name(file), "sha256": sha256}
