"""What the first and the second Ctrl-C do."""

import asyncio
import os
import signal

import pytest

from harness.run.interrupts import SAME_PRESS, Interrupts


class World:
    """An `Interrupts` with a clock of its own, and what it did."""

    def __init__(self) -> None:
        self.now = 100.0
        self.did: list[str] = []
        self.interrupts = Interrupts(lambda: self.did.append("stop"), lambda: self.now)

    def press(self, after: float = 1.0) -> None:
        self.now += after
        self.interrupts.interrupt()


def test_once_is_gentle_and_twice_stops() -> None:
    world = World()
    with world.interrupts.finishing(lambda: world.did.append("gently")):
        assert not world.interrupts.asked
        world.press()
        assert world.interrupts.asked
        assert world.did == ["gently"]
        world.press()
    assert world.did == ["gently", "stop"]


def test_where_nothing_is_under_way_the_first_one_stops() -> None:
    world = World()
    with world.interrupts.finishing(lambda: world.did.append("gently")):
        pass
    world.press()
    assert world.did == ["stop"]


def test_one_press_that_arrives_twice_is_one() -> None:
    world = World()
    with world.interrupts.finishing(lambda: world.did.append("gently")):
        world.press()
        world.press(SAME_PRESS / 2)
        assert world.did == ["gently"]


def test_a_key_held_down_stops_in_the_end() -> None:
    world = World()
    with world.interrupts.finishing(lambda: world.did.append("gently")):
        for _ in range(10):
            world.press(SAME_PRESS / 4)
    assert world.did[:2] == ["gently", "stop"]


def test_a_second_press_in_the_next_phase_stops() -> None:
    world = World()
    with world.interrupts.finishing(lambda: world.did.append("play")):
        world.press()
    with world.interrupts.finishing(lambda: world.did.append("grade")):
        world.press()
    assert world.did == ["play", "stop"]


@pytest.mark.parametrize(
    ("number", "did"), [(signal.SIGINT, "gently"), (signal.SIGUSR1, "gently"), (signal.SIGTERM, "stop")]
)
async def test_the_processs_signals_come_here(number: signal.Signals, did: str) -> None:
    came: asyncio.Queue[str] = asyncio.Queue()
    before = signal.getsignal(number)
    interrupts = Interrupts(lambda: came.put_nowait("stop"))
    with interrupts.heeded(), interrupts.finishing(lambda: came.put_nowait("gently")):
        os.kill(os.getpid(), number)
        assert await asyncio.wait_for(came.get(), 5) == did
    signal.signal(number, before)


def test_a_warning_is_gentle_however_often_it_comes() -> None:
    world = World()
    with world.interrupts.finishing(lambda: world.did.append("gently")):
        for _ in range(3):
            world.now += 1
            world.interrupts.warn()
        assert world.did == ["gently"]
        world.press()
    assert world.did == ["gently", "stop"]
