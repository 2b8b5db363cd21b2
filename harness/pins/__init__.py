"""What the harness is made of: the pinned files, and what was built out of them."""

from harness.pins.built import Closure, closure
from harness.pins.reading import KINDS, Pin, Pins, Seed, read

__all__ = ["KINDS", "Closure", "Pin", "Pins", "Seed", "closure", "read"]
