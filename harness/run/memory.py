"""Keeping the memory of a long run small: what one attempt needed goes back to the system after it."""

import ctypes
import gc
from typing import Final

# glibc's mallopt: how many heaps there may be at most. Usually eight for each processor, one for each thread that
# comes along, and what was freed in one is of no use in another.
_M_ARENA_MAX: Final = -8
_ARENAS: Final = 2

_libc = ctypes.CDLL(None)


def begin() -> None:
    """To be called before the first attempt: what is there now stays, and is looked at no more by `give_back`."""
    _libc.mallopt(_M_ARENA_MAX, _ARENAS)
    gc.collect()
    gc.freeze()


def give_back() -> None:
    """To be called after an attempt, in a thread: its bodies of megabytes hang in cycles, and in pieces of heaps."""
    gc.collect()
    _libc.malloc_trim(0)
