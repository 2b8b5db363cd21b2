"""What the harness is made of: the pinned files, and what was built out of them."""

from harness.pins.built import Closure, closure
from harness.pins.reading import KINDS, Pin, Pins, Seed, read
from harness.pins.running import Running, running

__all__ = ["KINDS", "Closure", "Pin", "Pins", "Running", "Seed", "closure", "read", "running"]
