"""What was built out of the pins, and the Nix that builds it."""

from harness.errors import HostUnfitError
from harness.run.doctor.values import PATIENCE, Check, Seen

SYSTEMD = "As root: systemctl start nix-daemon"


def nix(seen: Seen) -> list[Check]:
    """Nix itself, and whose store /nix is; where an image takes its place, none is wanted."""
    if seen.image:
        return [Check(name, "ok", f"not needed: this harness runs out of {seen.image}") for name in ("nix", "/nix")]
    return [_version(seen), _store(seen)]


def modes(seen: Seen) -> Check:
    """How the harness can run here: built by Nix, and as one file where there is no /nix (docs/nodes.md)."""
    store = "not seen from here" if seen.image else "yes"
    image = "yes" if seen.fuse is None else f"no, {seen.fuse}"
    if seen.fuse is not None and "Permission" in seen.fuse:
        image += " (as root: chmod 666 /dev/fuse, as udev itself does)"
    return Check("modes", "ok", f"out of the Nix store: {store}; as a squashfs image: {image}")


def _version(seen: Seen) -> Check:
    if seen.nix.version is None:
        found = "no nix on PATH: what is built runs without it, but nothing can be built"
        return Check("nix", "warning", found, "As root: apt-get install --no-install-recommends nix-bin")
    return Check("nix", "ok", seen.nix.version)


def _store(seen: Seen) -> Check:
    folder = seen.nix.folder
    if folder is None:
        return Check("/nix", "failed", "there is no /nix", f"As root: mkdir /nix && chown {seen.user.names[0]}: /nix")
    if folder.owner == seen.uid:
        return Check("/nix", "ok", f"this user's own, on {folder.mount.kind}")
    if seen.nix.daemon:
        return Check("/nix", "ok", f"of uid {folder.owner}, with a daemon, on {folder.mount.kind}")
    found = f"of uid {folder.owner}, without a daemon: what is built can be run, but nothing built"
    advice = SYSTEMD if folder.owner == 0 else "Build as that user: sh nix/setup.sh CMD... does."
    return Check("/nix", "warning", found, advice)


def closure(seen: Seen) -> list[Check]:
    """The pinned parts by their digests, and what each program says of itself."""
    if isinstance(seen.closure, HostUnfitError):
        return [Check.lacking("closure", seen.closure)]
    parts = seen.closure
    return [
        Check("container runtime", "ok", str(parts.runtime)),
        Check("sandbox rootfs", "ok", f"{parts.rootfs}, content sha256 {parts.rootfs_sha256}"),
        Check("pins", "ok", f"sha256 {parts.pins_sha256}"),
        _programs(seen),
    ]


def _programs(seen: Seen) -> Check:
    name, silent = "programs", [program for program, said in seen.versions.items() if not said]
    if silent:
        found = f"{', '.join(silent)} of the container runtime said no version within {PATIENCE} s"
        return Check(name, "failed", found, "On a quiet machine, try again; then build it again by `nix build`.")
    return Check(name, "ok", ", ".join(seen.versions.values()))
