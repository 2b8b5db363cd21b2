"""Numbers that one process of the machine holds at a time. Each test has numbers of its own, which are no ids."""

import itertools
import os
import subprocess
import sys

from harness.sandbox import ranges
from harness.sandbox.subids import IdRange

_numbers = itertools.count((os.getpid() + 1) << 40, 1_000_000)
HOLD = """
import sys
from harness.sandbox import ranges
from harness.sandbox.subids import IdRange
assert ranges.hold([IdRange(int(sys.argv[1]), 10)]) is not None
print(flush=True)
sys.stdin.read()
"""


def _taken(ids: IdRange) -> bool:
    handle = ranges.hold([ids])
    if handle is not None:
        os.close(handle)
    return handle is None


def test_what_is_held_is_nobody_elses_not_even_in_part() -> None:
    first = next(_numbers)
    handle = ranges.hold([IdRange(first, 100), IdRange(first + 1000, 100)])
    assert handle is not None
    assert [_taken(IdRange(first + at, 100)) for at in (-100, -99, 0, 99, 100)] == [False, True, True, True, False]
    assert _taken(IdRange(first + 1050, 1))
    assert _taken(ranges.ALL)
    os.close(handle)
    assert not _taken(IdRange(first, 2000))


def test_who_gets_not_all_keeps_nothing() -> None:
    first = next(_numbers)
    one = ranges.hold([IdRange(first, 10)])
    assert ranges.hold([IdRange(first + 20, 10), IdRange(first, 10)]) is None
    assert not _taken(IdRange(first + 20, 10))
    assert one is not None
    os.close(one)


def test_another_process_holds_it_until_it_is_killed() -> None:
    first = next(_numbers)
    path = os.pathsep.join(filter(None, sys.path))
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(first)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        taken = _taken(IdRange(first + 5, 10))
        holder.kill()
    assert taken
    assert not _taken(IdRange(first + 5, 10))
