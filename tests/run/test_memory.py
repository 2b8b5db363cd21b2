"""Giving memory back after an attempt."""

import subprocess
import sys

GROWS = """
import asyncio, threading
from harness.run import memory

def resident():
    line = next(line for line in open("/proc/self/status") if line.startswith("VmRSS:"))
    return int(line.split()[1]) // 1024

class Talk:
    def __init__(self):
        self.itself = self  # a cycle, as a talk and its server are
        self.bodies = [bytes(100_000) + bytes([n % 256]) for n in range(400)]

memory.begin()
before = resident()
for _ in range(3):
    keeps = [threading.Thread(target=Talk) for _ in range(4)]
    for thread in keeps:
        thread.start()
        thread.join()
grown = resident() - before
memory.give_back()
print(grown, resident() - before)
"""


def test_what_an_attempt_held_in_cycles_goes_back_to_the_system() -> None:
    done = subprocess.run([sys.executable, "-c", GROWS], capture_output=True, text=True, check=True)
    grown, left = map(int, done.stdout.split())
    assert grown > 100  # MiB, or this test shows nothing
    assert left < 20
