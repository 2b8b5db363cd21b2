"""Running the command as the account: signals go to it, and its exit status comes back."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from account import Account

_FORWARDED = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2}
_WATCHED = {*_FORWARDED, signal.SIGCHLD}
_FROM_KERNEL = 0x80  # SI_KERNEL: a key at the terminal, which reaches every process of the group by itself


def hold_signals() -> None:
    """From here on signals wait until the command runs, so that no hand-over is cut in the middle."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str], account: Account, keep_open: int) -> int:
    """Run the command in ``folder`` and return its exit status; 128 + N where signal N ended it, 127 if it isn't there.

    At a terminal it shares our process group, so that Ctrl-C and Ctrl-Z work; elsewhere it leads its own, so that a
    signal to ours is passed on once. If we are killed, it gets SIGTERM.
    """
    shares_group = _has_terminal()

    def prepare() -> None:
        if not shares_group:
            os.setpgid(0, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _WATCHED)
        os.umask(0o022)

    child = subprocess.Popen(
        [*_as_account(account), *command],
        cwd=folder,
        env=dict(environment),
        pass_fds=[keep_open],
        preexec_fn=prepare,
    )
    os.close(keep_open)
    while child.poll() is None:
        info = signal.sigwaitinfo(_WATCHED)
        if info.si_signo in _FORWARDED and not (shares_group and info.si_code == _FROM_KERNEL):
            child.send_signal(info.si_signo) if shares_group else os.killpg(child.pid, info.si_signo)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def _as_account(account: Account) -> list[str]:
    step_down = ["--reuid", account.name, "--regid", str(account.gid), "--init-groups", "--inh-caps=-all"]
    return ["setpriv", *(step_down if os.geteuid() == 0 else []), "--pdeathsig", "TERM", "--"]


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY))
    except OSError:
        return False
    return True
