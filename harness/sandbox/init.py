"""PID 1 of the harness's namespace: starts the main process, reaps orphans, passes signals on, ends with its status.

It is run by path with ``python -I -S``, so it imports the standard library only.

usage: ``init.py CHANNEL STDERR COMMAND...``

CHANNEL is one end of a socket pair whose other end only the outer process holds. Each byte that comes in is the number
of a signal for the main process; its end means that the outer process is dead. Out go READY, and at the end one more
byte, the status. STDERR is the caller's real standard error: until here it was a file in which failures were collected.
"""

import os
import select
import signal
import sys
from typing import NoReturn

FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
READY = b"R"
#: Holds the number of this PID namespace, for `namespace.inside`.
NAMESPACE_VARIABLE = "HARNESS_NAMESPACE"


def end(channel: int, status: int) -> NoReturn:
    """Tells the status and ends; the kernel kills everything that is left in a namespace when its PID 1 ends."""
    os.write(channel, bytes([status]))
    os._exit(status)


def status_of(wait_status: int) -> int:
    """What a shell would report: the exit status, or 128 + the signal's number."""
    code = os.waitstatus_to_exitcode(wait_status)
    return code if code >= 0 else 128 - code


def reap(main: int, channel: int) -> None:
    """Collects every child that has ended: conmon and others are adopted here. Ends when the main process has."""
    while True:
        try:
            pid, wait_status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        if pid == main:
            end(channel, status_of(wait_status))


def start(command: list[str], channel: int) -> int:
    """Starts the main process with an empty signal mask and says why where it can't be started."""
    try:
        return os.posix_spawnp(
            command[0], command, os.environ, setsigmask=(), setsigdef=(signal.SIGPIPE, signal.SIGXFSZ)
        )
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr, flush=True)
        end(channel, 127)


def main() -> NoReturn:
    """See the module's docstring."""
    channel, stderr, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    os.dup2(stderr, 2)
    os.close(stderr)
    os.set_inheritable(channel, False)
    os.environ[NAMESPACE_VARIABLE] = os.readlink("/proc/self/ns/pid")  # noqa: PTH115  pathlib takes time to load

    arrived, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    for wanted in (*FORWARDED, signal.SIGCHLD):
        if signal.getsignal(wanted) != signal.SIG_IGN:  # under nohup SIGHUP stays ignored
            signal.signal(wanted, lambda *_: None)
    os.write(channel, READY)
    child = start(command, channel)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())

    while True:
        for source in select.select([channel, arrived], [], [])[0]:
            try:
                numbers = os.read(source, 4096)
            except ConnectionResetError:  # the outer process died with a word of ours unread
                numbers = b""
            if not numbers:
                os._exit(128 + signal.SIGKILL)
            for number in numbers:
                if number == signal.SIGCHLD:
                    reap(child, channel)
                else:
                    os.kill(child, number)


if __name__ == "__main__":
    main()
