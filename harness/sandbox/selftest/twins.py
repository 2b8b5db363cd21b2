"""The weakened twins: which walls are gone, and which vectors must notice."""

import secrets as randomly
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from harness.sandbox.host import Host
from harness.sandbox.selftest import exhausting, judging, staging, standins, weakened
from harness.sandbox.selftest.probes import exhaustion, network
from harness.sandbox.selftest.running import Kind, made
from harness.sandbox.selftest.values import Twin, Vector

#: Of each class the vectors that notice on every kernel; the others may lack what they ask for.
NO_RULES: Final[Mapping[str, Sequence[str]]] = {
    **{
        group: tuple(target.name for target in network.TARGETS if target.group == group)
        for group in dict.fromkeys(target.group for target in network.TARGETS)
    },
    "gateway ports": (
        *(target.name for target in network.TARGETS if target.group == "gateway ports"),
        "from-the-gateways-port-udp",
    ),
    "abstract UNIX sockets": ("abstract-connect", "abstract-list"),
}
NO_FILTER: Final[Mapping[str, Sequence[str]]] = {
    "raw, packet and VSOCK sockets": (
        *("raw-ip", "raw-tcp", "packet-raw", "packet-datagram"),
        *("other-families", "other-protocols"),
        *("packet-int-80", "unix-int-80", "socketcall-int-80"),
    ),
    "multicast, broadcast, ICMP": ("icmp-raw", "icmp6-raw"),
    "netlink, nft, iptables": ("netlink-nft", "netlink-others", "add-address", "add-route", "set-device-flags"),
    "new namespaces": ("unshare-user", "unshare-network", "unshare-mount", "unshare-pid", "clone-user"),
    "mount, pivot, chroot": ("mount-tmpfs", "mount-bind", "unmount", "pivot-root", "chroot"),
    "ptrace, keyctl, io_uring, bpf, perf": (
        *("ptrace", "process-vm-readv", "process-vm-writev", "keyctl", "add-key"),
        *("memory-files", "shared-mapping"),
    ),
    "device nodes, setuid, core patterns": (
        *("become-another-user", "take-other-groups"),
        *("no-new-privileges", "capabilities", "system-call-filter"),
    ),
}
SHOWN: Final[Mapping[str, Sequence[str]]] = {
    "/proc/sys, sysrq, /sys": ("sysctls-read-only", "sysctl-forwarding"),
    "device nodes, setuid, core patterns": (
        *("devices-listed", "devices-elsewhere", "folders-without-devices", "folders-without-setuid", "setuid-files"),
    ),
    "writing outside the workdir": ("write-task", "write-outputs", "writable-mounts"),
    "another sandbox": (
        "neighbours-processes",
        "neighbours-files",
        "shared-memory",
        "usual-mounts",
        "sandboxes-folder",
        "own-namespaces",
    ),
    "the podman socket": ("podman-service", "any-socket"),
    "secrets": ("variables", "secrets-environment", "secrets-command-lines", "secrets-files"),
}
#: Bounds that no limit of a sandbox makes larger, so the twin has them as well.
SAME: Final = ("disk-output", "file-watchers")
LARGER: Final[Mapping[str, Sequence[str]]] = {
    exhaustion.GROUP: (*(probe.name for probe in exhaustion.PROBES if probe.name not in SAME), "memory"),
}


async def tried(host: Host) -> tuple[Twin, ...]:
    """Every twin; each is a sandbox made as a rollout's, but for what its name says.

    Raises:
        SandboxError: one could not be made.
    """
    return (
        *noticed("no packet filter, the host's network", NO_RULES, await _without_rules(host)),
        *noticed("no system call filter, all capabilities", NO_FILTER, await _without_filter(host)),
        *noticed("nothing masked, secrets planted", SHOWN, await _shown(host)),
        *noticed("larger limits", LARGER, await exhausting.exhaust(host, exhausting.LARGE, kept=2)),
    )


def noticed(name: str, expected: Mapping[str, Sequence[str]], vectors: Iterable[Vector]) -> tuple[Twin, ...]:
    """A twin for each class: detected where every vector that must notice did, or has nothing to notice here."""
    found = {one.name: one for one in vectors}
    twins = []
    for group, names in expected.items():
        blind = [each for each in names if found[each].state not in ("broken", "not supported here")]
        saw = [each for each in names if found[each].state == "broken"]
        detail = f"not noticed by {', '.join(blind)}" if blind else f"noticed by {len(saw)} of {len(names)}"
        twins.append(Twin(name, group, bool(saw) and not blind, detail))
    return tuple(twins)


async def _without_rules(host: Host) -> tuple[Vector, ...]:
    name = f"harness-selftest-{randomly.token_hex(8)}"
    places = (*standins.elsewhere(), *standins.of_the_host(name))
    return await _probed(host, Kind(rules=weakened.open_rules(), places=places), {"abstract": [name]})


async def _without_filter(host: Host) -> tuple[Vector, ...]:
    kind = Kind(user="root", altered=weakened.without_filter, rules=weakened.open_rules())
    return await _probed(host, kind, {})


async def _shown(host: Host) -> tuple[Vector, ...]:
    planted = weakened.Planted(host.state.folder / "tmp" / f"pl-{randomly.token_hex(2)}")
    known = {"boxes": weakened.INSIDE, "podman": f"{weakened.INSIDE}/podman.sock", "neighbour": planted.mark}
    with planted.there():
        return await _probed(host, Kind(user="root", altered=planted.shown), known, [planted.secret])


async def _probed(
    host: Host, kind: Kind, known: Mapping[str, str | list[str]], secrets: Iterable[str] = ()
) -> tuple[Vector, ...]:
    facts = {**staging.facts(host, neighbour="neighbour-of-nobody", abstract=""), **known}
    async with made(host, staging.stage(facts, "twin"), kind) as ready:
        ran = await ready.run()
    return judging.judge({kind.user: ran.report}, secrets)
