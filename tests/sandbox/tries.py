"""Runs inside a sandbox, or as root of a network namespace of its own: tries to send to all kinds of destinations.

usage: ``tries.py plain|raw|many``; prints nothing but what it could not even try.
"""

import contextlib
import socket
import struct
import sys

V4, V6 = socket.AF_INET, socket.AF_INET6
IP_HDRINCL, IPV6_HDRINCL = 3, 36


def connect(family: int, *address: object) -> None:
    with socket.socket(family) as one, contextlib.suppress(OSError):
        one.settimeout(5)
        one.connect(address)


def send(family: int, *address: object, data: bytes = b"x", times: int = 1, broadcast: bool = False) -> None:
    with socket.socket(family, socket.SOCK_DGRAM) as one:
        if broadcast:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        for _ in range(times):
            with contextlib.suppress(OSError):
                one.sendto(data, address)


def plain() -> None:
    connect(V4, "192.0.2.1", 443)
    connect(V6, "2001:db8::1", 443)
    connect(V6, "::ffff:192.0.2.2", 443)
    connect(V4, "192.0.2.9", 0)
    connect(V4, "169.254.1.1", 18081)
    connect(V4, "169.254.169.254", 80)
    connect(V4, "127.0.0.1", 22)
    connect(V4, "0.0.0.0", 80)  # the loopback, by another name
    send(V4, "192.0.2.3", 53)
    send(V4, "192.0.2.30", 53, times=5)
    send(V6, "2001:db8::3", 53)
    send(V6, "::ffff:192.0.2.4", 53)
    send(V4, "224.0.0.251", 5353)
    send(V6, "ff02::fb", 5353, 0, 1)
    send(V6, "fe80::1", 9, 0, 1)
    send(V4, "255.255.255.255", 67, broadcast=True)
    send(V4, "192.0.2.5", 99, data=b"x" * 65000)
    send(V4, "169.254.1.1", 18080)


def many() -> None:
    with socket.socket(V4, socket.SOCK_DGRAM) as four, socket.socket(V6, socket.SOCK_DGRAM) as six:
        for number in range(2500):
            for one, address in ((four, f"198.18.{number >> 8}.{number & 255}"), (six, f"2001:db8::{number:x}")):
                with contextlib.suppress(OSError):
                    one.sendto(b"x", (address, 9))


def raw(family: int, protocol: int, address: str, data: bytes, *, whole: bool = False) -> None:
    with socket.socket(family, socket.SOCK_RAW, protocol) as one, contextlib.suppress(OSError):
        if whole:
            option = (socket.IPPROTO_IP, IP_HDRINCL) if family == V4 else (socket.IPPROTO_IPV6, IPV6_HDRINCL)
            one.setsockopt(*option, 1)
        one.sendto(data, (address, 0))


def fragment4(address: str, protocol: int, offset: int, data: bytes) -> None:
    """``offset`` as in the header: eights of bytes, with 0x2000 for more fragments."""
    ends = socket.inet_aton("192.0.2.200") + socket.inet_aton(address)
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(data), 7, offset, 64, protocol, 0) + ends
    raw(V4, socket.IPPROTO_RAW, address, header + data, whole=True)


def fragment6(address: str, protocol: int, offset: int, data: bytes) -> None:
    ends = socket.inet_pton(V6, "2001:db8::200") + socket.inet_pton(V6, address)
    extension = struct.pack("!BBHI", protocol, 0, offset << 3 | 1, 7)
    header = struct.pack("!IHBB", 6 << 28, len(extension) + len(data), 44, 64) + ends
    raw(V6, socket.IPPROTO_RAW, address, header + extension + data, whole=True)


def crafted() -> None:
    udp = struct.pack("!HHHH", 9, 77, 16, 0) + bytes(8)
    raw(V4, 1, "192.0.2.6", b"\x08\0\xf7\xff\0\0\0\0")
    raw(V6, 58, "2001:db8::6", b"\x80\0\xf7\xff\0\0\0\0")
    raw(V4, 2, "224.0.0.22", b"\x16\0\xe9\xff\0\0\0\0")
    raw(V4, 253, "192.0.2.7", b"hello")
    raw(V6, 253, "2001:db8::7", b"hello")
    fragment4("192.0.2.8", 17, 0x2000, udp)
    fragment4("192.0.2.8", 17, 3, bytes(8))
    fragment4("192.0.2.8", 6, 3, bytes(8))
    fragment6("2001:db8::8", 17, 0, udp)
    fragment6("2001:db8::8", 17, 3, bytes(8))


if __name__ == "__main__":
    {"plain": plain, "many": many, "raw": crafted}[sys.argv[1]]()
