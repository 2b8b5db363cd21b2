"""Addresses: whatever is not the gateway's port.

What stands for the host's ports, the metadata service or the internet listens in a network namespace that the test
made. Where there is any device but the loopback nothing is sent at all, and every probe says so: that is broken enough.
"""

import socket
from functools import partial
from pathlib import Path
from typing import NamedTuple

from .telling import Absent, Facts, Probe

TCP, UDP = socket.SOCK_STREAM, socket.SOCK_DGRAM
V4, V6 = socket.AF_INET, socket.AF_INET6
#: Seconds. A refusal comes at once: only where a packet could be sent is an answer waited for, and for long only where
#: nothing else would show that it arrived.
WAIT, LONG_WAIT = 0.3, 5.0
GATEWAY, GATEWAY_PORT = "169.254.1.1", 18080
#: Where the stand-ins of the host's own loopback listen. It is none that the kernel gives to a socket by itself (32768
#: to 60999): a probe that was given it would reach, and answer, itself.
HOST_PORT = 27001
#: Documentation's addresses stand for the internet (RFC 5737, RFC 3849): no host has them.
PUBLIC, PUBLIC6 = "192.0.2.1", "2001:db8::1"
IPV6_IS_THERE = Path("/proc/sys/net/ipv6/conf/lo/disable_ipv6")


class Target(NamedTuple):
    """Where to; ``answers``: whether only an answer counts, since sending to an own loopback is no harm."""

    name: str
    group: str
    kind: int
    address: str
    port: int
    answers: bool = False

    @property
    def family(self) -> int:
        """Told by the address."""
        return V6 if ":" in self.address else V4


MANY = "multicast, broadcast, ICMP"
TARGETS = (
    Target("gateway-ssh", "gateway ports", TCP, GATEWAY, 22),
    Target("gateway-http", "gateway ports", TCP, GATEWAY, 80),
    Target("gateway-https", "gateway ports", TCP, GATEWAY, 443),
    Target("gateway-next-port", "gateway ports", TCP, GATEWAY, GATEWAY_PORT + 1),
    Target("gateway-same-port-udp", "gateway ports", UDP, GATEWAY, GATEWAY_PORT),
    Target("loopback-tcp", "host loopback", TCP, "127.0.0.1", HOST_PORT, answers=True),
    Target("loopback-udp", "host loopback", UDP, "127.0.0.1", HOST_PORT, answers=True),
    Target("loopback-tcp6", "host loopback", TCP, "::1", HOST_PORT, answers=True),
    Target("loopback-udp6", "host loopback", UDP, "::1", HOST_PORT, answers=True),
    Target("loopback-mapped-tcp", "host loopback", TCP, "::ffff:127.0.0.1", HOST_PORT, answers=True),
    Target("loopback-mapped-udp", "host loopback", UDP, "::ffff:127.0.0.1", HOST_PORT, answers=True),
    Target("loopback-zero-address", "host loopback", TCP, "0.0.0.0", HOST_PORT, answers=True),  # noqa: S104
    Target("dns-udp", "dns", UDP, "192.0.2.53", 53),
    Target("dns-tcp", "dns", TCP, "192.0.2.53", 53),
    Target("dns-tls", "dns", TCP, "192.0.2.53", 853),
    Target("dns-udp6", "dns", UDP, "2001:db8::53", 53),
    Target("metadata-http", "metadata and link-local", TCP, "169.254.169.254", 80),
    Target("metadata-udp", "metadata and link-local", UDP, "169.254.169.254", 53),
    Target("metadata-http6", "metadata and link-local", TCP, "fd00:ec2::254", 80),
    Target("metadata-mapped", "metadata and link-local", TCP, "::ffff:169.254.169.254", 80),
    Target("link-local-gateway-port", "metadata and link-local", TCP, "169.254.1.2", GATEWAY_PORT),
    Target("link-local6", "metadata and link-local", TCP, "fe80::1%lo", 80),
    Target("private-10", "private and public addresses", TCP, "10.0.0.1", 80),
    Target("private-172", "private and public addresses", TCP, "172.16.0.1", 443),
    Target("private-192", "private and public addresses", UDP, "192.168.0.1", 443),
    Target("shared-100-64", "private and public addresses", TCP, "100.64.0.1", 80),
    Target("private6", "private and public addresses", TCP, "fd00::1", 80),
    Target("public-tcp", "private and public addresses", TCP, PUBLIC, 443),
    Target("public-udp", "private and public addresses", UDP, PUBLIC, 443),
    Target("public-tcp6", "private and public addresses", TCP, PUBLIC6, 443),
    Target("public-udp6", "private and public addresses", UDP, PUBLIC6, 443),
    Target("public-mapped", "private and public addresses", TCP, f"::ffff:{PUBLIC}", 443),
    Target("multicast", MANY, UDP, "224.0.0.251", 5353),
    Target("multicast6", MANY, UDP, "ff02::fb%lo", 5353),
    Target("broadcast", MANY, UDP, "255.255.255.255", 5353),
)


def only_loopback(devices: Path = Path("/proc/net/dev")) -> None:
    """Raises RuntimeError where a packet could leave: nothing is to be sent then."""
    names = [line.split(":")[0].strip() for line in devices.read_text().splitlines()[2:]]
    if names != ["lo"]:
        raise RuntimeError(f"not tried, since there are devices: {', '.join(names)}")


def place(target: Target) -> tuple[str, int] | tuple[str, int, int, int]:
    """The address as `connect` takes it."""
    name, _, scope = target.address.partition("%")
    if target.family == V4:
        return name, target.port
    return name, target.port, 0, socket.if_nametoindex(scope) if scope else 0


def _reach(target: Target, _: Facts) -> str:
    only_loopback()
    if target.family == V6 and not (IPV6_IS_THERE.exists() and IPV6_IS_THERE.read_text().strip() == "0"):
        raise Absent("this host has no IPv6")
    with socket.socket(target.family, target.kind) as one:
        one.settimeout(LONG_WAIT if target.answers else WAIT)
        if target.group == MANY and target.family == V4:
            # The loopback carries these only for a program that says where from.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            one.bind((GATEWAY, 0))
        one.connect(place(target))
        if target.kind == TCP:
            return "connected"
        one.send(b"?")
        try:
            one.recv(16)
        except TimeoutError:
            if target.answers:
                raise
            return "sent"
        return "answered"


def _as_the_gateway(kind: int, _: Facts) -> str:
    """From the listener's own address and port, whose answers the rules let through."""
    only_loopback()
    with socket.socket(V4, kind) as one:
        one.settimeout(WAIT)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if kind == TCP:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        try:
            one.bind((GATEWAY, GATEWAY_PORT))
        except OSError as error:
            if kind == UDP:
                raise RuntimeError("nothing was sent: the port is taken") from error
            raise
        one.connect((PUBLIC, 443))
        if kind == TCP:
            return "connected"
        one.send(b"?")
        return "sent"


def _resolve(_: Facts) -> str:
    return f"example.com is {socket.getaddrinfo('example.com', 80)[0][4]}"


def _devices(_: Facts) -> str:
    try:
        only_loopback()
    except RuntimeError as found:
        return str(found)
    raise PermissionError("only the loopback")


def _own_namespace(facts: Facts) -> str:
    if str(Path("/proc/self/ns/net").readlink()) == facts["namespaces"]["net"]:
        return "it is the harness's own"
    raise PermissionError("another than the harness's")


PROBES = (
    *(Probe(target.name, target.group, partial(_reach, target)) for target in TARGETS),
    Probe("from-the-gateways-port", "gateway ports", partial(_as_the_gateway, TCP)),
    Probe("from-the-gateways-port-udp", "gateway ports", partial(_as_the_gateway, UDP)),
    Probe("resolver", "dns", _resolve),
    Probe("network-devices", "host loopback", _devices),
    Probe("network-namespace", "host loopback", _own_namespace),
)
