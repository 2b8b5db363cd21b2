"""The network's own settings: netlink, nft, iptables."""

import array
import errno
import fcntl
import os
import socket
import struct
from functools import partial

from .sockets import first_made
from .telling import Absent, Facts, Probe

GROUP = "netlink, nft, iptables"
FAMILIES = {"nft": 12, "ipsec": 6, "audit": 9, "udev": 15, "generic": 16, "socket-diagnosis": 4}
#: All but the routing part, which is allowed; a kernel has up to 32.
OTHERS = tuple((socket.AF_NETLINK, socket.SOCK_RAW, number) for number in range(1, 32))
NEW_ADDRESS, NEW_ROUTE = 20, 24
REQUEST_AND_ACKNOWLEDGE = 1 | 4
CREATE = 0x400
GET_FLAGS, SET_FLAGS = 0x8913, 0x8914
IPTABLES_INFO = 64


def _open(protocol: int, _: Facts) -> str:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol).close()
    return "made"


def _ask(kind: int, body: bytes) -> str:
    """One request to the routing part, which answers each with an error number, 0 being success."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as one:
        header = struct.pack("=IHHII", 16 + len(body), kind, REQUEST_AND_ACKNOWLEDGE | CREATE, 1, 0)
        one.send(header + body)
        code = -struct.unpack_from("=i", one.recv(4096), 16)[0]
    if code:
        raise OSError(code, os.strerror(code))
    return "the kernel took it"


def _attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(value), kind) + value


def _address(_: Facts) -> str:
    loopback = socket.if_nametoindex("lo")
    local = _attribute(2, socket.inet_aton("127.9.9.9"))
    return _ask(NEW_ADDRESS, struct.pack("=BBBBi", socket.AF_INET, 32, 0, 0, loopback) + local)


def _route(_: Facts) -> str:
    loopback = struct.pack("=i", socket.if_nametoindex("lo"))
    header = struct.pack("=BBBBBBBBI", socket.AF_INET, 32, 0, 0, 254, 3, 253, 1, 0)
    return _ask(NEW_ROUTE, header + _attribute(1, socket.inet_aton("127.9.9.8")) + _attribute(4, loopback))


def _flags(_: Facts) -> str:
    """Sets the loopback's flags to what they are, which takes the privilege to change them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        wanted = array.array("B", struct.pack("16sH22x", b"lo", 0))
        fcntl.ioctl(one, GET_FLAGS, wanted)
        fcntl.ioctl(one, SET_FLAGS, wanted)
    return "set"


def _iptables(_: Facts) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.getsockopt(socket.SOL_IP, IPTABLES_INFO, 84)
        except OSError as error:
            if error.errno == errno.ENOPROTOOPT:
                raise Absent("this kernel has no iptables") from error
            if error.errno == errno.EPERM:
                raise
    return "asked"


PROBES = (
    *(Probe(f"netlink-{name}", GROUP, partial(_open, number)) for name, number in FAMILIES.items()),
    Probe("netlink-others", GROUP, partial(first_made, OTHERS)),
    Probe("add-address", GROUP, _address),
    Probe("add-route", GROUP, _route),
    Probe("set-device-flags", GROUP, _flags),
    Probe("iptables", GROUP, _iptables),
)
