"""What a sandbox of the self-test is given: the probes as read-only files, and what they must know."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.sandbox import namespace, slots
from harness.sandbox.host import Host
from harness.sandbox.selftest import probes
from harness.sandbox.selftest.probes.telling import Facts
from harness.sandbox.spec import USER_ID
from harness.sandbox.values import Limits, Stage

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/home", "LANG": "C.UTF-8"}
#: Not read; a probe tries to put another file in its place.
OUTPUTS = {"report": 4096}
START = "import sys; sys.path.insert(0, '/task/in'); from probes.{module} import main; main(sys.argv[1])"
#: A rollout's own user, and the sandbox's root, which runs nothing there.
USERS: Mapping[str, str] = {"user": f"{USER_ID}:{USER_ID}", "root": "0:0"}


def facts(host: Host, *, neighbour: str, abstract: str, mark: str = "") -> Facts:
    """What the probes look for.

    Args:
        neighbour: the name of the other sandbox's mark.
        mark: that of its own, see `running.made`.
        abstract: the name of the UNIX socket that stands for the host's.
    """
    # Not the cgroup's: podman shares it where cgroups are of version 1, and it hides names only.
    kinds = ("ipc", "mnt", "net", "pid", "user", "uts")
    return Facts(
        abstract=[abstract, *_host_names()],
        boxes=str(host.state.boxes),
        podman=str(host.state.socket),
        namespaces={kind: str(Path(f"/proc/self/ns/{kind}").readlink()) for kind in kinds},
        environment=sorted(ENVIRONMENT),
        neighbour=neighbour,
        mark=mark,
        bounds={},
    )


def _host_names() -> list[str]:
    """The UNIX sockets without a file by which the harness holds ids: real ones of this host."""
    prefix = slots.socket_name(namespace.mapped_ids(), 0)[1:].rpartition("-")[0]
    return names_in(Path("/proc/net/unix").read_bytes(), prefix)


def names_in(table: bytes, prefix: str) -> list[str]:
    """The names that begin so among the sockets without a file, in the kernel's list of UNIX sockets.

    Any user of the host may have given others names of any bytes, line feeds too.
    """
    words = [line.rpartition(b" ")[2].decode(errors="replace") for line in table.split(b"\n")]
    return [word[1:] for word in words if word.startswith(f"@{prefix}")]


def stage(known: Mapping[str, Any], mark: str, *, module: str = "main", limits: Limits | None = None) -> Stage:
    """Runs one of the probes' modules.

    Args:
        known: goes in as JSON.
        mark: stands on a file and on the command line, for the other sandbox to look for.
    """
    folder = Path(probes.__file__).parent
    sources = {f"probes/{path.name}": path.read_bytes() for path in folder.glob("*.py")}
    return Stage(
        command=("python3", "-I", "-S", "-B", "-c", START.format(module=module), "/task/in/facts.json", mark),
        env=ENVIRONMENT,
        files={"facts.json": json.dumps(known).encode(), mark: b"", **sources},
        outputs=OUTPUTS,
        limits=limits or Limits(),
        labels={"task": "selftest"},
    )
