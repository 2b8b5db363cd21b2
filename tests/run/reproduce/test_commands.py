"""Running another harness's commands: what they print, how they end, and the signals that they get."""

import pytest

from harness.errors import CheckFailedError, HarnessError, HostUnfitError, UsageError
from harness.run.reproduce.commands import run

SH = ["sh", "-c"]


def test_what_it_prints_and_an_expected_status() -> None:
    assert run([*SH, "echo '{}'; exit 3"], [0, 3], "It") == (3, b"{}\n")


@pytest.mark.parametrize(("status", "error"), [(1, HarnessError), (2, UsageError), (4, HostUnfitError)])
def test_another_status_ends_us_with_the_same(status: int, error: type[HarnessError]) -> None:
    with pytest.raises(error, match=rf"^Playing failed \(exit status {status}\); what it said stands above") as raised:
        run([*SH, f"exit {status}"], [0], "Playing")
    assert raised.value.exit_status == status


def test_a_check_that_fails_is_no_other_error() -> None:
    with pytest.raises(CheckFailedError):
        run([*SH, "exit 5"], [0], "It")


def test_a_death() -> None:
    with pytest.raises(HarnessError, match=r"It failed \(signal 9\)"):
        run([*SH, "kill -KILL $$"], [0], "It")


def test_an_interrupted_command_interrupts_us() -> None:
    with pytest.raises(KeyboardInterrupt):
        run([*SH, "exit 130"], [0], "It")


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP", "USR1"])
def test_it_gets_our_signals(name: str) -> None:
    # Its parent is this process, whose own death would be the end of all tests.
    script = f"trap 'echo got; exit 0' {name}; kill -{name} $PPID; while :; do sleep 0.01; done"
    assert run([*SH, script], [0], "It") == (0, b"got\n")


def test_our_own_handlers_come_back() -> None:
    import signal

    before = signal.getsignal(signal.SIGUSR1)
    run([*SH, "exit 0"], [0], "It")
    assert signal.getsignal(signal.SIGUSR1) == before
