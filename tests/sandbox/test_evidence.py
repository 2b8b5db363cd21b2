"""Real sandboxes that try to send to all kinds of places: each attempt is in their evidence, and nothing leaves them.

In each the packet filter is the real one, and every address is at home in the namespace that it was made for.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.sandbox import ruleset
from tests.sandbox.conftest import Entered

pytestmark = pytest.mark.integration

TRIES = Path(__file__).with_name("tries.py").read_text()
#: Four sandboxes at once, and what root of a namespace of its own can craft, which no sandbox can.
ALL = """
import subprocess
from harness.sandbox import listing, ruleset
from harness.sandbox.netns_helper import ROUTES, ROUTES6

TRIES = sys.argv[1]

def stage(which, after=""):
    return shell(f"python3 /task/in/tries.py {which}\\n{after}", files={"tries.py": TRIES.encode()})

def crafted():
    found = runtime.find(os.environ)
    script = (
        'set -e; echo "$RULES" | $NFT -f -; echo "$ROUTES" | $IP -batch -; '
        '$PYTHON -c "$TRIES" raw >&2; $NFT -j -p list table inet harness'
    )
    done = subprocess.run(
        [found.program("unshare"), "--net", "/bin/sh", "-c", script],
        stdout=subprocess.PIPE,
        env={
            "NFT": found.program("nft"),
            "IP": found.program("ip"),
            "PYTHON": sys.executable,
            "RULES": ruleset.RULES,
            "ROUTES": ROUTES.format(address=ruleset.ADDRESS) + ROUTES6,
            "TRIES": TRIES,
        },
        check=True,
    )
    counted = listing.parse(done.stdout)
    return {**attrs.asdict(counted), "truncated": counted.truncated, "adds_up": counted.adds_up}

async def ending(one, how):
    # from outside, when it has tried all that it will
    async with one.sandbox(stage("plain", "sleep 60")) as box:
        serve(box.listener)
        stop = asyncio.Event()
        running = asyncio.create_task(box.run(60, stop))
        while (await box._network.counted(None)).denied < int(sys.argv[2]):
            await asyncio.sleep(0.1)
        if how == "stopped":
            stop.set()
            return plain(await running, await box.evidence())
        running.cancel()
        await asyncio.wait((running,))
        return plain(Ended(None, "stopped", 0.0), await box.last_evidence())

async def main():
    async with host() as one:
        trying = once(one, stage("plain")), once(one, stage("many")), ending(one, "stopped"), ending(one, "failed")
        names = ("plain", "many", "stopped", "failed")
        found = dict(zip(names, await asyncio.gather(*trying)))
    tell({**found, "crafted": crafted()})
asyncio.run(main())
"""

PLAIN = {
    ("169.254.1.1", "tcp", 18081): 1,
    ("169.254.1.1", "udp", 18080): 1,
    ("169.254.169.254", "tcp", 80): 1,
    ("192.0.2.1", "tcp", 443): 1,
    ("192.0.2.2", "tcp", 443): 1,
    ("192.0.2.3", "udp", 53): 1,
    ("192.0.2.4", "udp", 53): 1,
    ("192.0.2.5", "udp", 99): 1,
    ("192.0.2.9", "tcp", 0): 1,
    ("192.0.2.30", "udp", 53): 5,
    ("2001:db8::1", "tcp", 443): 1,
    ("2001:db8::3", "udp", 53): 1,
    ("224.0.0.251", "udp", 5353): 1,
    ("255.255.255.255", "udp", 67): 1,
    ("fe80::1", "udp", 9): 1,
    ("ff02::fb", "udp", 5353): 1,
}
CRAFTED = {
    ("192.0.2.6", "icmp", None): 1,
    ("192.0.2.7", "253", None): 1,
    ("192.0.2.8", "tcp", None): 1,
    ("192.0.2.8", "udp", None): 1,
    ("192.0.2.8", "udp", 77): 1,
    ("224.0.0.22", "igmp", None): 1,
    ("2001:db8::6", "ipv6-icmp", None): 1,
    ("2001:db8::7", "253", None): 1,
    ("2001:db8::8", "udp", None): 1,
    ("2001:db8::8", "udp", 77): 1,
}


def _listed(found: dict[str, Any]) -> dict[tuple[str, str, int | None], int]:
    return {(one["address"], one["protocol"], one["port"]): one["packets"] for one in found["destinations"]}


def test_each_attempt_is_counted_by_protocol_and_destination(enter: Callable[..., Entered]) -> None:
    found = enter(ALL, TRIES, str(sum(PLAIN.values()))).result()

    for name, how in (("plain", "exited"), ("stopped", "stopped"), ("failed", "stopped")):
        one = found[name]
        assert (one["how"], one["outputs"]["out.txt"]) == (how, "")
        assert _listed(one) == PLAIN
        assert (one["denied"], one["truncated"]) == (sum(PLAIN.values()), False)
        assert [one["counters"][kind] for kind in ruleset.REFUSED] == [6, 14, 0, 0]
        assert one["counters"]["unlisted"] == 0

    many = found["many"]
    assert many["truncated"] is True
    assert len(many["destinations"]) == 2 * ruleset.SET_SIZE
    assert many["denied"] == many["counters"]["denied_udp"] == 5000
    assert many["counters"]["unlisted"] == 5000 - 2 * ruleset.SET_SIZE

    crafted = found["crafted"]
    assert _listed(crafted) == CRAFTED
    assert crafted["adds_up"] is True
    assert crafted["truncated"] is False
    assert [crafted["counters"][kind] for kind in ruleset.REFUSED] == [1, 4, 2, 3]
