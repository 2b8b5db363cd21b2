"""A sandbox's namespaces from outside: making its listener, reading what its packet filter counted."""

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

from harness.errors import HostUnfitError, SandboxError
from harness.sandbox import listing, ruleset
from harness.sandbox.finishing import to_the_end
from harness.sandbox.runtime import Runtime

#: How often the filter is read until what it counted adds up, and seconds between two readings.
READINGS, READING_INTERVAL = 50, 0.1
HELPER = Path(__file__).with_name("netns_helper.py")


def _helper(runtime: Runtime, rules: str = ruleset.RULES) -> list[str]:
    """The helper's command line; Python gets the program as text, which needs no readable file in the namespace."""
    arguments = [runtime.program("ip"), runtime.program("nft"), ruleset.ADDRESS, str(ruleset.PORT), rules]
    return [sys.executable, "-I", "-S", "-c", HELPER.read_text(), *arguments]


async def _run(command: list[str], stdin: int, descriptors: tuple[int, ...]) -> tuple[int | None, bytes, str]:
    """Exit status, standard output and standard error of a short-lived program."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=descriptors,
        env={},
        cwd="/",
    )
    out, err = await to_the_end(process.communicate())
    return process.returncode, out, err.decode(errors="replace").strip()


async def _listener(command: list[str], descriptors: tuple[int, ...]) -> tuple[socket.socket, bytes]:
    """Runs the helper and takes the socket that it sends, and what it prints."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        status, out, said = await _run(command, theirs.fileno(), descriptors)
        if status != 0:
            raise SandboxError(f"The sandbox's network could not be set up: {said}")
        (received,) = socket.recv_fds(ours, 1, 1, socket.MSG_DONTWAIT)[1]
    listener = socket.socket(fileno=received)
    listener.setblocking(False)
    return listener, out


async def check_kernel(runtime: Runtime) -> str:
    """Loads the very rules in a namespace that is thrown away; returns them as this kernel holds them.

    Raises:
        HostUnfitError: this kernel can't filter packets as we need it.
    """
    try:
        listener, out = await _listener([runtime.program("unshare"), "--net", *_helper(runtime)], ())
    except SandboxError as error:
        raise HostUnfitError(
            f"This kernel can't filter a sandbox's packets (nf_tables). {error}.",
            "As root: modprobe -a nf_tables nft_reject_inet, or use a kernel with CONFIG_NF_TABLES",
        ) from error
    listener.close()
    try:
        return listing.parse(out).rules
    except (ValueError, KeyError, TypeError) as error:
        raise HostUnfitError("The packet filter's rules were loaded and can't be read. Please report this.") from error


class Network:
    """Holds a sandbox's user and network namespace open, so that they can be read after its last process."""

    def __init__(self, runtime: Runtime, pid: int) -> None:
        """``pid`` is the sandbox's first process, not yet running anything of the sandbox."""
        self._runtime = runtime
        self._pid = pid
        self._descriptors = tuple(
            os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC) for kind in ("user", "net")
        )

    def _enter(self, *command: str) -> list[str]:
        user, net = self._descriptors
        nsenter = self._runtime.program("nsenter")
        return [nsenter, f"--user=/proc/self/fd/{user}", f"--net=/proc/self/fd/{net}", *command]

    @property
    def descriptor(self) -> int:
        """Of the network namespace."""
        return self._descriptors[1]

    async def listener(self, rules: str = ruleset.RULES) -> socket.socket:
        """Sets the namespaces up; returns a socket that listens inside and is ours, non-blocking.

        Args:
            rules: others only where the self-test shows that it would see their lack.

        Raises:
            SandboxError: with what ip, nft or the kernel said.
        """
        mounts = os.open(f"/proc/{self._pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        try:
            command = self._enter(*_helper(self._runtime, rules), str(mounts))
            return (await _listener(command, (*self._descriptors, mounts)))[0]
        finally:
            os.close(mounts)

    async def counted(self, rules: str | None) -> listing.Counted:
        """What the packet filter saw, once nothing of the sandbox lives.

        The kernel may still send on its own for a moment, such as that a multicast group was left: then the filter is
        read again.

        Args:
            rules: as `check_kernel` gave them; None where others were loaded.

        Raises:
            SandboxError: the filter can't be read: then there is no evidence.
            HostUnfitError: it isn't the one that was loaded.
        """
        for _ in range(READINGS):
            counted = await self._read()
            if rules is not None and counted.rules != rules:
                raise HostUnfitError(
                    "The packet filter's rules of a sandbox at its end are not those that were loaded.",
                    "It did not hold: don't trust this run, and find out with harness doctor --sandbox.",
                )
            if counted.adds_up or rules is None:
                return counted
            await asyncio.sleep(READING_INTERVAL)
        raise SandboxError("What the packet filter counted doesn't add up")

    async def _read(self) -> listing.Counted:
        command = self._enter(self._runtime.program("nft"), "-j", "-p", "list", "table", "inet", ruleset.TABLE)
        _, listed, said = await _run(command, subprocess.DEVNULL, self._descriptors)
        try:
            return listing.parse(listed)
        except (ValueError, KeyError, TypeError) as error:
            raise SandboxError(f"The packet filter can't be read: {said}") from error

    def close(self) -> None:
        """Lets the namespaces go."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = ()
