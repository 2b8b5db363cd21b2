"""Which walls a weakened twin lacks: its create call, its rules, what is planted. Pure but for the planting."""

import secrets as randomly
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from harness.sandbox import ruleset

#: Where what is planted stands in the sandbox.
INSIDE = "/home"


def open_rules(rules: str = ruleset.RULES) -> str:
    """The same table, counters and sets, which lets everything through."""
    kept = [line for line in rules.splitlines() if "reject" not in line]
    return "\n".join(kept).replace("policy drop", "policy accept") + "\n"


def without_filter(asked: dict[str, Any]) -> dict[str, Any]:
    """No system call filter, all capabilities of the sandbox's own root, new privileges allowed."""
    return {
        **asked,
        "seccomp_profile_path": "unconfined",
        "cap_drop": [],
        "cap_add": ["ALL"],
        "no_new_privileges": False,
    }


@attrs.frozen
class Planted:
    """A folder of the host that no sandbox should see, with what the probes look for."""

    folder: Path
    mark: str = attrs.field(factory=lambda: f"neighbour-{randomly.token_hex(8)}")
    secret: str = attrs.field(factory=lambda: f"planted-{randomly.token_hex(16)}", repr=False)

    @contextmanager
    def there(self) -> Iterator[None]:
        """Makes the folder, with a listening socket in place of podman's."""
        self.folder.mkdir()
        self.folder.chmod(0o755)
        (self.folder / self.mark).touch()
        (self.folder / "note.txt").write_text(self.secret)
        (self.folder / "tool").touch()
        (self.folder / "tool").chmod(0o4755)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
            one.bind(str(self.folder / "podman.sock"))
            (self.folder / "podman.sock").chmod(0o666)
            one.listen()
            try:
                yield
            finally:
                for path in self.folder.iterdir():
                    path.unlink()
                self.folder.rmdir()

    def shown(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Nothing masked or read-only, a privilege, the host's processes, a device more, and the folder."""
        replaced = ("/tmp", INSIDE, "/dev/shm")  # noqa: S108  the sandbox's
        kept = [mount for mount in asked["mounts"] if mount["destination"] not in replaced]
        loose = {"type": "tmpfs", "destination": "/tmp", "options": ["rw", "suid", "dev", "notmpcopyup"]}  # noqa: S108
        return {
            **asked,
            "cap_add": ["NET_ADMIN"],
            "read_only_filesystem": False,
            "unmask": ["ALL"],
            "pidns": {"nsmode": "host"},
            "env": {**asked["env"], "PLANTED": self.secret},
            "command": [*asked["command"], self.secret],
            "mounts": [
                *kept,
                loose,
                _bind(self.folder, INSIDE),
                _bind(self.folder, "/dev/shm"),  # noqa: S108
                _bind(Path("/dev/null"), "/dev/planted"),
                _bind(Path("/dev/null"), "/tmp/planted"),  # noqa: S108
            ],
        }


def _bind(source: Path, destination: str) -> Mapping[str, Any]:
    return {"type": "bind", "source": str(source), "destination": destination, "options": ["rbind", "rw"]}
