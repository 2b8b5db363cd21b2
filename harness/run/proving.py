"""Before the first task of every run its sandboxes prove themselves."""

from collections.abc import Iterable

from harness.errors import HostUnfitError
from harness.gateway import Model, Policy
from harness.sandbox import selftest
from harness.sandbox.host import Host
from harness.sandbox.selftest import Vector

ADVICE = "No task was started. See all of it: harness doctor --sandbox"


async def prove(host: Host, model: Model) -> tuple[Vector, ...]:
    """The self-test's quick part; the policy's key is among what must be nowhere in a sandbox.

    Raises SandboxError where no sandbox could be made.
    """
    key = model.api_key if isinstance(model, Policy) else None
    return await selftest.quick(host, [] if key is None else [key.reveal()])


def require(vectors: Iterable[Vector]) -> None:
    """Raises HostUnfitError, which names what did not hold."""
    broken = [f"{one.name} ({one.group}): {one.detail}" for one in vectors if not one.held]
    if broken:
        raise HostUnfitError(f"The sandbox does not hold on this host: {'; '.join(broken)}.", ADVICE)
