"""Before the first task of every run its sandboxes prove themselves."""

import time

import attrs

from harness.errors import HostUnfitError, SandboxError
from harness.gateway import Model, Policy
from harness.sandbox import selftest
from harness.sandbox.host import Host
from harness.sandbox.selftest import Vector
from harness.store.canonical import JSON

#: How many are named in one message; all stand in observed/.
NAMED = 10
ADVICE = "No task was started. See all of it: harness doctor --sandbox"


@attrs.frozen
class Proof:
    """What the self-test's quick part found, and how long it took."""

    vectors: tuple[Vector, ...]
    milliseconds: int

    def to_json(self) -> JSON:
        """As it stands in observed/."""
        return {"milliseconds": self.milliseconds, "vectors": [dict(one.to_json()) for one in self.vectors]}

    def require(self) -> None:
        """Raises HostUnfitError, which names what did not hold."""
        broken = [f"{one.name} ({one.group}): {one.detail}" for one in self.vectors if not one.held]
        if broken:
            more = f"; and {len(broken) - NAMED} more" if len(broken) > NAMED else ""
            raise HostUnfitError(f"The sandbox does not hold on this host: {'; '.join(broken[:NAMED])}{more}.", ADVICE)


async def prove(host: Host, model: Model) -> Proof:
    """The policy's key is among what must be nowhere in a sandbox. Raises HostUnfitError where none could be made."""
    key = model.api_key if isinstance(model, Policy) else None
    began = time.monotonic()
    try:
        vectors = await selftest.quick(host, [] if key is None else [key.reveal()])
    except SandboxError as error:
        raise HostUnfitError(
            f"No sandbox could be made: {error}", "No task was started. See also: harness doctor"
        ) from error
    return Proof(vectors, round(1000 * (time.monotonic() - began)))
