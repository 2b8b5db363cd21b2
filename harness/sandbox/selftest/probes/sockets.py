"""Sockets that would pass by the packet filter or reach a hypervisor; ICMP; UNIX sockets without a file."""

import errno
import itertools
import socket
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from .calls import BLOCKED, NUMBERS, by_int_80, call
from .network import MANY, PUBLIC, PUBLIC6, only_loopback
from .telling import Facts, Probe, refusal

GROUP = "raw, packet and VSOCK sockets"
RAW, VSOCK, PACKET = socket.SOCK_RAW, 40, 17
#: Of 32-bit programs; and the bit that marks a call of the x32 kind.
SOCKET_32, SOCKETCALL_32 = 359, 102
X32 = 0x40000000
#: ICMP's echo requests, without a checksum: nothing is to answer.
ECHO, ECHO6 = bytes([8, 0, 0xF7, 0xFF, 0, 0, 0, 0]), bytes([128, 0, 0, 0, 0, 0, 0, 0])


def _open(family: int, kind: int, protocol: int, _: Facts) -> str:
    socket.socket(family, kind, protocol).close()
    return "made"


def first_made(tries: Iterable[tuple[int, int, int]], _: Facts) -> str:
    """The first of many that the filter lets through, whether the kernel then makes it or has another objection."""
    refused: OSError = PermissionError("nothing was tried")
    for family, kind, protocol in tries:
        try:
            socket.socket(family, kind, protocol).close()
        except OSError as error:
            if error.errno not in (*BLOCKED, errno.EAFNOSUPPORT):
                return f"family {family}, kind {kind}, protocol {protocol} came through: {refusal(error)}"
            refused = error
        else:
            return f"family {family}, kind {kind}, protocol {protocol}: made"
    raise refused


def _by_int_80(family: int, kind: int, _: Facts) -> str:
    return by_int_80(SOCKET_32, family, kind, 0)


def _socketcall(_: Facts) -> str:
    """By the old call that hides the family behind a pointer; that it could be made is enough."""
    try:
        return by_int_80(SOCKETCALL_32, 1, 0, 0)
    except OSError as error:
        if error.errno == errno.EFAULT:
            return "came through: EFAULT"
        raise


def _x32(_: Facts) -> str:
    return f"gave {call(NUMBERS['socket'] | X32, VSOCK, 1, 0)}"


def _ping(family: int, kind: int, protocol: int, packet: bytes, address: str, _: Facts) -> str:
    only_loopback()
    with socket.socket(family, kind, protocol) as one:
        one.sendto(packet, (address, 0))
    return "sent"


def _abstract(facts: Facts) -> str:
    """Each name is tried with both kinds, as what listens is of one of them."""
    refused: OSError = PermissionError("the host has none")
    for name in facts["abstract"]:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                with socket.socket(socket.AF_UNIX, kind) as one:
                    one.connect(f"\0{name}")
            except OSError as error:
                refused = error
            else:
                return f"connected to @{name}"
    raise refused


def _listed(_: Facts) -> str:
    names = [line.split()[-1] for line in Path("/proc/net/unix").read_text().splitlines()[1:] if " @" in line]
    if names:
        return f"listed: {', '.join(names)}"
    raise PermissionError("none is listed")


FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
#: Packets first, which every kernel has: where there is no filter, it may load a module for each other one.
#: Numbers beyond Linux 6.18's (up to 45) are for later kernels.
OTHER_FAMILIES = (PACKET, *(number for number in range(64) if number not in (PACKET, *FAMILIES)))
KINDS = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET)
#: IANA's, and MPTCP.
OTHER_PROTOCOLS = (*(number for number in range(1, 256) if number not in (socket.IPPROTO_TCP, socket.IPPROTO_UDP)), 262)
SOCKETS: dict[str, Callable[[Facts], str]] = {
    "raw-ip": partial(_open, socket.AF_INET, RAW, socket.IPPROTO_RAW),
    "raw-ip6": partial(_open, socket.AF_INET6, RAW, socket.IPPROTO_RAW),
    "raw-tcp": partial(_open, socket.AF_INET, RAW, socket.IPPROTO_TCP),
    "packet-raw": partial(_open, PACKET, RAW, 0x0300),
    "packet-datagram": partial(_open, PACKET, socket.SOCK_DGRAM, 0x0300),
    "vsock-stream": partial(_open, VSOCK, socket.SOCK_STREAM, 0),
    "vsock-datagram": partial(_open, VSOCK, socket.SOCK_DGRAM, 0),
    "kernel-crypto": partial(_open, 38, 5, 0),
    "bluetooth": partial(_open, 31, RAW, 1),
    "can": partial(_open, 29, RAW, 1),
    "xdp": partial(_open, 44, RAW, 0),
    "tipc": partial(_open, 30, socket.SOCK_STREAM, 0),
    "sctp": partial(_open, socket.AF_INET, socket.SOCK_STREAM, 132),
    "other-families": partial(first_made, tuple(itertools.product(OTHER_FAMILIES, (*KINDS, RAW), (0,)))),
    "other-protocols": partial(
        first_made, tuple(itertools.product((socket.AF_INET, socket.AF_INET6), KINDS, OTHER_PROTOCOLS))
    ),
}
OTHER_ENTRIES: dict[str, Callable[[Facts], str]] = {
    "vsock-int-80": partial(_by_int_80, VSOCK, socket.SOCK_STREAM),
    "packet-int-80": partial(_by_int_80, PACKET, RAW),
    "unix-int-80": partial(_by_int_80, socket.AF_UNIX, socket.SOCK_STREAM),
    "socketcall-int-80": _socketcall,
    "vsock-x32": _x32,
}
ICMP: dict[str, Callable[[Facts], str]] = {
    "icmp-echo": partial(_ping, socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP, ECHO, PUBLIC),
    "icmp-raw": partial(_ping, socket.AF_INET, RAW, socket.IPPROTO_ICMP, ECHO, PUBLIC),
    "icmp6-raw": partial(_ping, socket.AF_INET6, RAW, socket.IPPROTO_ICMPV6, ECHO6, PUBLIC6),
}
PROBES = (
    *(Probe(name, GROUP, act) for name, act in SOCKETS.items()),
    *(Probe(name, GROUP, act, apart=True, faults=True) for name, act in OTHER_ENTRIES.items()),
    *(Probe(name, MANY, act) for name, act in ICMP.items()),
    Probe("abstract-connect", "abstract UNIX sockets", _abstract),
    Probe("abstract-list", "abstract UNIX sockets", _listed),
)
