"""Debian packages: the closure of each set under Depends, as apt's own solver sees it, out of bookworm main only."""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fetching.problems import BadInputError, PinsError
from resolving.entries import Entries, Entry, Members, ask, store_name
from resolving.wanted import WantedSet

# Versions in main stay on the mirrors; those in security and updates are superseded and vanish.
_PREFERENCES = """\
Package: *
Pin: release n=bookworm
Pin-Priority: 990

Package: *
Pin: release n=bookworm-security
Pin-Priority: -1

Package: *
Pin: release n=bookworm-updates
Pin-Priority: -1
"""
_CHOSEN = re.compile(r"^Inst (\S+) \((\S+) ([^)]*)\)", re.MULTILINE)


class Apt:
    """apt on a machine that has nothing installed, with a folder for its settings."""

    def __init__(self, folder: Path) -> None:
        self._status = folder / "status"
        preferences = folder / "preferences"
        preferences.write_text(_PREFERENCES)
        settings = {
            "Dir::State::status": self._status,
            "Dir::Etc::Preferences": preferences,
            "Dir::Etc::PreferencesParts": "/dev/null",
            "APT::Install-Recommends": "false",
        }
        self._flags = [flag for name, value in settings.items() for flag in ("-o", f"{name}={value}")]
        self._status.write_text("")

    def show(self, packages: Sequence[str]) -> list[dict[str, str]]:
        """The fields of each package (NAME or NAME=VERSION) as its index has them."""
        text = ask(["apt-cache", *self._flags, "show", "--no-all-versions", *packages]) if packages else ""
        stanzas = (dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", part, re.MULTILINE)) for part in text.split("\n\n"))
        return [stanza for stanza in stanzas if "Version" in stanza]

    def closure(self, wanted: Sequence[str], left_out: Sequence[dict[str, str]]) -> dict[str, str]:
        """Names and versions of what apt would install; what is left out counts as installed."""
        self._status.write_text("".join(_as_installed(each) for each in left_out))
        chosen = _CHOSEN.findall(ask(["apt-get", *self._flags, "install", "--simulate", *wanted]))
        self._status.write_text("")
        for name, version, origins in chosen:
            if not origins.startswith("Debian:12"):
                raise PinsError(f"apt would take {name} {version} from {origins}, not from bookworm main.")
        return {name: version for name, version, _ in chosen}


def _as_installed(stanza: dict[str, str]) -> str:
    """What apt's status file would say if the package were there, with no needs of its own."""
    provides = f"Provides: {stanza['Provides']}\n" if "Provides" in stanza else ""
    return (
        f"Package: {stanza['Package']}\nStatus: install ok installed\nVersion: {stanza['Version']}+without\n"
        f"Architecture: amd64\nMulti-Arch: allowed\n{provides}Maintainer: nobody\nDescription: left out on purpose\n\n"
    )


def resolve(sets: Sequence[WantedSet]) -> tuple[Entries, Members]:
    """The pins of Debian sets, and which set holds which.

    Raises:
        PinsError: apt failed, or would take a package from elsewhere.
        BadInputError: a set leaves out what nothing in it depends on.
    """
    entries: Entries = {}
    members: Members = {}
    with tempfile.TemporaryDirectory() as folder:
        apt = Apt(Path(folder))
        for wanted in sets:
            left_out = apt.show(list(wanted.without))
            closure = apt.closure(list(wanted.want), left_out)
            stanzas = apt.show([f"{name}={version}" for name, version in closure.items()])
            _check_left_out(wanted, left_out, stanzas)
            members[wanted.name] = sorted(closure)
            entries |= {stanza["Package"]: _entry(stanza) for stanza in stanzas}
    return entries, members


def _check_left_out(wanted: WantedSet, left_out: Sequence[dict[str, str]], stanzas: Sequence[dict[str, str]]) -> None:
    asked_for = {name for stanza in stanzas for field in ("Depends", "Pre-Depends") for name in _names(stanza, field)}
    idle = [each["Package"] for each in left_out if not asked_for & {each["Package"], *_names(each, "Provides")}]
    if idle:
        raise BadInputError(f"{wanted.label} leaves out what nothing in it depends on: {', '.join(sorted(idle))}.")


def _names(stanza: dict[str, str], field: str) -> list[str]:
    """The package names in a field that lists relations between packages."""
    return re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]+)", stanza.get(field, ""))


def _entry(stanza: dict[str, str]) -> Entry:
    name, version, arch = stanza["Package"], stanza["Version"], stanza["Architecture"]
    file = f"{name}_{version.replace(':', '%3a')}_{arch}.deb"
    return {
        "name": name,
        "version": version,
        "arch": arch,
        "file": file,
        "store": store_name(file),
        "size": int(stanza["Size"]),
        "sha256": stanza["SHA256"],
    }
