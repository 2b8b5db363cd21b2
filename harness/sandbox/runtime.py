"""Where the pinned container runtime and the sandbox's root folder stand."""

from collections.abc import Mapping
from pathlib import Path

import attrs

from harness.errors import HostUnfitError

PROGRAMS = ("podman", "conmon", "runc", "nft", "nsenter", "unshare", "ip")


@attrs.frozen
class Runtime:
    """``folder`` is the runtime's store path, ``rootfs`` the store path whose ``root`` is the sandbox's tree."""

    folder: Path
    rootfs: Path

    def program(self, name: str) -> str:
        """Path of one of ``PROGRAMS``."""
        return str(self.folder / "bin" / name)

    @property
    def bin(self) -> Path:
        """The folder of all programs."""
        return self.folder / "bin"

    @property
    def root(self) -> Path:
        """The tree that a sandbox sees as /."""
        return self.rootfs / "root"

    @property
    def seccomp(self) -> Path:
        """The default system call filter that ours is derived from."""
        return self.folder / "share/containers/seccomp.json"


def find(env: Mapping[str, str]) -> Runtime:
    """The runtime that HARNESS_RUNTIME and HARNESS_ROOTFS name.

    Raises:
        HostUnfitError: one is unset or holds not what it should.
    """
    folders = []
    for variable in ("HARNESS_RUNTIME", "HARNESS_ROOTFS"):
        value = env.get(variable)
        if not value:
            raise HostUnfitError(f"{variable} is not set.", "Start the harness by `nix run`, which sets it.")
        folders.append(Path(value))
    runtime = Runtime(*folders)
    needed = [*(runtime.bin / name for name in PROGRAMS), runtime.seccomp, runtime.root / "bin"]
    missing = [str(path) for path in needed if not path.exists()]
    if missing:
        raise HostUnfitError(f"The container runtime lacks {', '.join(missing)}.", "Build it again by `nix build`.")
    return runtime
