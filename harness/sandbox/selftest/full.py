"""The full test: the quick part, what fills something, and the weakened twins that prove that all of it can fail."""

from collections.abc import Iterable

from harness.sandbox.host import Host
from harness.sandbox.selftest import twins as weak
from harness.sandbox.selftest.exhausting import exhaust
from harness.sandbox.selftest.quick import quick
from harness.sandbox.selftest.values import Report


async def full(host: Host, *, twins: bool = True, secrets: Iterable[str] = ()) -> Report:
    """All vectors, in some ten seconds.

    Args:
        twins: whether to make weakened sandboxes too, in each of which a vector must be found broken.
        secrets: as for `quick`.

    Raises:
        SandboxError: a sandbox could not be made.
    """
    vectors = (*await quick(host, secrets), *await exhaust(host))
    return Report(vectors, await weak.tried(host) if twins else ())
