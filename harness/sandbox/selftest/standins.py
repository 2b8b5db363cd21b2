"""What stands for the host, the metadata service and the internet: sockets that listen in a network namespace.

That is a sandbox's own, or one that is made for them. No packet leaves either: neither has a device but its loopback.
"""

import asyncio
import ctypes
import errno
import fcntl
import os
import socket
import struct
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress

import attrs

from harness.errors import SandboxError
from harness.sandbox.selftest.probes import network

CLONE_NEWNET = 0x40000000
SET_FLAGS, UP = 0x8914, 1
ANSWER = b"!"
#: What a host without IPv6, or with IPv6 turned off, says.
NO_IPV6 = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)

_libc = ctypes.CDLL(None, use_errno=True)


@attrs.frozen
class Place:
    """Where to listen: an address and port, or the name of a UNIX socket without a file."""

    family: int
    kind: int
    address: str
    port: int = 0


def elsewhere() -> tuple[Place, ...]:
    """What stands for every address but the sandbox's own loopback.

    All addresses are routed home, so that one socket serves them all; only where the gateway's own listener has the
    port is another address needed.
    """
    places = set()
    for target in network.TARGETS:
        if target.answers:
            continue
        mapped = target.address.startswith("::ffff:")
        family = network.V4 if mapped else target.family
        any_address = "0.0.0.0" if family == network.V4 else "::"  # noqa: S104  in the sandbox's namespace
        taken = (target.kind, target.port) == (network.TCP, network.GATEWAY_PORT)
        places.add(Place(family, target.kind, target.address if taken else any_address, target.port))
    return tuple(places)


def of_the_host(name: str) -> tuple[Place, ...]:
    """What stands for the host's own loopback; ``name`` is its UNIX socket's."""
    kinds = (network.TCP, network.UDP)
    loopbacks = ((network.V4, "127.0.0.1"), (network.V6, "::1"))
    inet = [Place(family, kind, address, network.HOST_PORT) for family, address in loopbacks for kind in kinds]
    return (*inet, Place(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{name}"))


@contextmanager
def listening(places: Sequence[Place], namespace: int | None = None) -> Iterator[list[str]]:
    """Listens and answers as long as it lasts, and notes what was heard.

    Args:
        namespace: a descriptor of the network namespace; None for a new one.

    Raises:
        SandboxError: the kernel refused.
    """
    # A thread of its own, gone afterwards: a thread that changed its namespace must do nothing else.
    with ThreadPoolExecutor(1, "namespace") as thread:
        sockets = thread.submit(_open, places, namespace).result()
    heard: list[str] = []
    loop = asyncio.get_running_loop()
    with ExitStack() as gone:
        for one in sockets:
            gone.enter_context(one)
            loop.add_reader(one, _hear, one, heard)
            gone.callback(loop.remove_reader, one)
        yield heard


def _open(places: Sequence[Place], namespace: int | None) -> list[socket.socket]:
    done = _libc.unshare(CLONE_NEWNET) if namespace is None else _libc.setns(namespace, CLONE_NEWNET)
    if done != 0:
        raise SandboxError(f"A network namespace can't be entered: {os.strerror(ctypes.get_errno())}")
    if namespace is None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            fcntl.ioctl(one, SET_FLAGS, struct.pack("16sH22x", b"lo", UP))
    with ExitStack() as failed:
        opened = (_listen(place) for place in places)
        sockets = [failed.enter_context(one) for one in opened if one is not None]
        failed.pop_all()
    return sockets


def _listen(place: Place) -> socket.socket | None:
    try:
        one = socket.socket(place.family, place.kind | socket.SOCK_NONBLOCK)
    except OSError as error:
        if error.errno in NO_IPV6:
            return None
        raise
    try:
        if place.family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        elif place.kind == socket.SOCK_DGRAM:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a probe sends from such a port
        one.bind(place.address if place.family == socket.AF_UNIX else (place.address, place.port))
        if place.kind == socket.SOCK_STREAM:
            one.listen(16)
    except OSError as error:
        one.close()
        if place.family == socket.AF_INET6 and error.errno in NO_IPV6:
            return None
        raise SandboxError(f"Nothing can listen at {place}: {error.strerror}") from error
    return one


def _hear(one: socket.socket, heard: list[str]) -> None:
    """Notes it and answers; that there may be nobody any more, or that rules stop the answer, changes nothing."""
    heard.append(str(one.getsockname()))
    with suppress(OSError):
        if one.type == socket.SOCK_STREAM:
            one.accept()[0].close()
        else:
            one.sendto(ANSWER, one.recvfrom(16)[1])
