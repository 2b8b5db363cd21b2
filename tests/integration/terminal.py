"""A process on a terminal of its own, as a person at a keyboard has it."""

import asyncio
import contextlib
import fcntl
import os
import pty
import struct
import termios
from collections.abc import Mapping, Sequence

CTRL_C = b"\x03"


class Terminal:
    """Starts a command as the foreground process of a new terminal; ``said`` is all that it wrote there."""

    def __init__(self, process: asyncio.subprocess.Process, keyboard: int) -> None:
        self.process = process
        self.said = ""
        self._keyboard = keyboard
        self._more = asyncio.Event()
        asyncio.get_running_loop().add_reader(keyboard, self._read)

    @classmethod
    async def start(cls, command: Sequence[str], env: Mapping[str, str], columns: int = 100) -> "Terminal":
        keyboard, screen = pty.openpty()
        fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        process = await asyncio.create_subprocess_exec(
            *command,
            env={**env, "TERM": "xterm"},
            stdin=screen,
            stdout=screen,
            stderr=screen,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(screen)
        os.set_blocking(keyboard, False)
        return cls(process, keyboard)

    def press(self, key: bytes) -> None:
        """A key; the terminal makes a signal of Ctrl-C, for its foreground processes."""
        os.write(self._keyboard, key)

    async def until(self, words: str, seconds: float = 120) -> None:
        """Wait until the command has said something."""
        try:
            async with asyncio.timeout(seconds):
                while words not in self.said:
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            raise AssertionError(f"{words!r} was not said in {seconds:g} s, but: {self.said[-3000:]}") from None

    async def ended(self, seconds: float = 120) -> int:
        """The exit status."""
        async with asyncio.timeout(seconds):
            return await self.process.wait()

    def close(self) -> None:
        """Ends what still runs, by its process id."""
        if self.process.returncode is None:
            self.process.kill()
        asyncio.get_running_loop().remove_reader(self._keyboard)
        os.close(self._keyboard)

    def _read(self) -> None:
        data = b""
        with contextlib.suppress(OSError):  # EIO: the other end is closed
            data = os.read(self._keyboard, 65536)
        if not data:
            asyncio.get_running_loop().remove_reader(self._keyboard)
        self.said += data.decode(errors="replace")
        self._more.set()
