"""When what the packet filter counted is taken as evidence."""

import pytest

from harness.errors import HostUnfitError, SandboxError
from harness.sandbox import network, ruleset
from harness.sandbox.listing import Counted

ZERO = dict.fromkeys(ruleset.COUNTERS, 0)
WHOLE = Counted(3, 1, (), {**ZERO, "denied_udp": 1, "unlisted": 1}, "rules")
HALF = Counted(3, 2, (), {**ZERO, "denied_udp": 1, "unlisted": 1}, "rules")


class Read(network.Network):
    """A filter that is read as if it were there."""

    def __init__(self, *listed: Counted) -> None:
        self.left = list(listed)

    async def _read(self) -> Counted:
        return self.left.pop(0)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "READINGS", 2)
    monkeypatch.setattr(network, "READING_INTERVAL", 0)


async def test_a_packet_that_comes_meanwhile_has_it_read_again() -> None:
    assert await Read(HALF, WHOLE).counted("rules") == WHOLE


async def test_what_never_adds_up_is_no_evidence() -> None:
    with pytest.raises(SandboxError, match="doesn't add up"):
        await Read(HALF, HALF, WHOLE).counted("rules")


async def test_other_rules_at_the_end_end_the_run() -> None:
    with pytest.raises(HostUnfitError, match="not those that were loaded"):
        await Read(WHOLE).counted("other rules")


async def test_rules_that_were_altered_on_purpose_are_taken_as_they_are() -> None:
    assert await Read(HALF).counted(None) == HALF
