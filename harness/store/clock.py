"""The time for records: it goes on evenly though somebody sets the machine's clock, as outcomes go by differences."""

import time

_OFFSET = time.time_ns() - time.monotonic_ns()


def now_ns() -> int:
    """Nanoseconds since 1970, by the machine's clock as it stood when this process began."""
    return _OFFSET + time.monotonic_ns()
