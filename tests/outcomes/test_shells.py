"""What a hostile shell does to its agent, its sandbox and its outputs: each comes to a measurement."""

from collections.abc import Iterator

import pytest

from tests.gateway.scripted import Act, fails, hangs, says
from tests.outcomes.playing import Played, Row, ids, play
from tests.outcomes.upstream import Script, right, uses

pytestmark = pytest.mark.integration

GIVES_UP = says("It is \\boxed{nothing}.")


def python(source: str, then: str = "") -> str:
    return f"python3 - <<'END' {then}\n{source}\nEND"


def then(command: str, act: Act = GIVES_UP) -> Script:
    """This command in the first turn, this act in the second."""
    return [[uses(command)], [act]]


def later(seconds: float, command: str) -> str:
    """A command that runs on its own, in a session of its own, after the shell has ended."""
    apart = "import os, sys; os.setsid(); os.execlp('sh', 'sh', '-c', sys.argv[1])"
    return f'python3 -c "{apart}" "sleep {seconds}; {command}" >/dev/null 2>&1 </dev/null &'


FILL = "for i in /workspace /tmp /home /dev/shm; do cat /dev/zero > $i/full; done 2>/dev/null"
EAT = "b = []\nwhile True: b.append(b'x' * (1 << 24))"
HIDE = """
import mmap
held = []
for _ in range(32):  # 2 GiB: more than it may have, and not more than the machine can bear
    one = mmap.mmap(-1, 64 << 20)
    for at in range(0, 64 << 20, 4096):
        one[at] = 1
    one.madvise(mmap.MADV_DONTNEED)
    held.append(one)
"""
FORKS = """
import os, time
try:
    while True:
        if os.fork() == 0:
            time.sleep(8)
            os._exit(0)
except OSError as error:
    print(error)
"""
FLOOD = """
yes '{"type": "text", "part": {"text": "It is"}}' >> /task/out/events.jsonl
yes > /task/out/stderr.log
"""
SPOIL = """
cd /task/out; : > events.jsonl; chmod 0 events.jsonl; rm -f events.jsonl stderr.log; mv events.jsonl x
ln -sf /etc/passwd events.jsonl; mkfifo fifo; mkdir new; ln events.jsonl /workspace/x; exec 2>/dev/null; true
"""
CONNECT = """
import os, socket, time
if os.fork():
    time.sleep(2)
    os._exit(0)
os.setsid()
for number in range(3):
    os.close(number)
held, end = [], time.monotonic() + 12
while time.monotonic() < end:
    one = socket.socket()
    one.settimeout(1)
    try:
        one.connect(("169.254.1.1", 18080))
        one.send(b"POST /v1/chat/completions HTTP/1.1\\r\\n")
        held.append(one)
    except OSError:
        time.sleep(0.1)
    held = held[-2000:]
"""
STRANGE = """
import ctypes, os, signal, time
libc = ctypes.CDLL(None)
for number in range(20):
    if os.fork() == 0:
        libc.prctl(15, (b"\\xff\\xfe\\n) Z 0", b"\\x0bVmRSS:\\tx")[number % 2])
        if number % 2 == 0:
            os._exit(0)
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for fd in range(3):
            os.close(fd)
        if number % 3 == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(1000)
"""
BUSY = "while :; do sh -c : & done"

ROWS = [
    #   scenario                     what the shell does                                   outcome       reward
    Row("kills its agent", then("kill -9 $PPID"), "agent-died", 0.0, (1,)),
    Row("kills all", then("kill -9 -1"), "agent-died", 0.0, (1,)),
    Row("ends its agent", then("kill $PPID"), "agent-died", 0.0, (1,)),
    Row("kills, endpoint silent", then(later(5, "kill -9 $PPID"), hangs()), "agent-died", 0.0),
    Row("kills, endpoint busy", then(later(1, "kill -9 $PPID"), fails(503, "busy")), "agent-died", 0.0),
    Row("fills its folder", [[uses("cat /dev/zero > /workspace/full")], [right("6")]], "answered", 1.0, (1, 1)),
    Row("fills every folder", then(FILL), "workdir-full", 0.0),
    Row("eats memory", then(python(EAT)), "out-of-memory", 0.0, (1,)),
    Row("can't hide memory", then(python(HIDE, "&& kill -9 $PPID")), "answered", 0.0, (1, 1)),
    Row("eats processes", then(python(FORKS)), "answered", 0.0, (1, 1)),
    Row("floods its outputs", then(FLOOD), "answered", 0.0),
    Row("spoils its outputs", then(SPOIL), "answered", 0.0, (1, 1)),
    Row("takes all connections", then(python(CONNECT)), "answered", 0.0),
    Row("leaves strange processes", then(python(STRANGE)), "answered", 0.0, (1, 1)),
    Row("leaves a storm", then(later(0, BUSY)), "answered", 0.0),
    Row("removes its agent's home", then("rm -rf /home/.local /home/.cache /tmp/*"), "answered", 0.0),
]


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    limits = ("--memory-mib", "1536", "--pids", "200", "--workdir-mib", "64", "--tmp-mib", "64")
    tries = ("--upstream-attempts", "5", "--upstream-backoff", "1", "--stall", "3")
    with play(ROWS, "--timeout", "60", *limits, *tries) as done:
        yield done


def test_the_run(played: Played) -> None:
    played.check_whole()


@pytest.mark.parametrize("name", ids(ROWS))
def test_outcome(played: Played, name: str) -> None:
    played.check(name)
