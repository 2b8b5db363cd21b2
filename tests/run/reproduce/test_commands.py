"""Running another harness's commands: what they print, how they end, and the signals that they get."""

import threading

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


def test_what_it_says_is_heard_line_by_line() -> None:
    heard: list[str] = []
    assert run([*SH, "echo one >&2; echo out; printf two >&2"], [0], "It", heard.append) == (0, b"out\n")
    assert heard == ["one", "two"]


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("echo going on >&2; echo 'harness: no such file' >&2; echo 'name another' >&2", "no such file\nname another"),
        ("echo 'Usage: harness' >&2; echo 'Error: No such option' >&2", "No such option"),
        ("echo 'a is damaged' >&2", "a is damaged"),
        ("", r"It failed \(exit status 2\), and said nothing"),
    ],
)
def test_its_last_words_are_the_error(says: str, told: str) -> None:
    with pytest.raises(UsageError, match=rf"^{told}\.?$"):
        run([*SH, f"{says}\nexit 2"], [0], "It", lambda line: None)


def test_it_ends_where_nobody_can_hear_it() -> None:
    def hear(line: str) -> None:
        raise ValueError(line)

    with pytest.raises(ValueError, match=r"^ready$"):
        run([*SH, "echo ready >&2; while :; do sleep 0.01; done"], [0], "It", hear)


def test_another_thread_than_the_main_one_can_run_it() -> None:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(run([*SH, "echo out"], [0], "It")))
    thread.start()
    thread.join()
    assert found == [(0, b"out\n")]
