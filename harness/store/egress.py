"""What a sandbox sent, as its record has it."""

from collections.abc import Mapping

import attrs

from harness.store.canonical import JSON
from harness.store.digests import Digest
from harness.store.fields import Fields, integer, mapping


@attrs.frozen(kw_only=True)
class Egress:
    """What the sandbox's rules let through and what they stopped (packets)."""

    ruleset_sha256: Digest
    allowed: int
    denied: int
    destinations: tuple[Mapping[str, JSON], ...]  # what was tried, as the sandbox layer describes it
    truncated: bool  # whether there were more destinations than are listed
    counters: Mapping[str, int] | None = None  # the filter's other ones, by name

    def to_json(self) -> JSON:
        """As it stands in the record."""
        value = {**attrs.asdict(self, recurse=False), "destinations": list(self.destinations)}
        if self.counters is None:
            del value["counters"]
        return value

    @classmethod
    def from_json(cls, value: JSON) -> "Egress":
        """Read it strictly; raises CanonicalError."""
        fields = Fields(value, "the egress")
        egress = cls(
            ruleset_sha256=fields.digest("ruleset_sha256"),
            allowed=fields.integer("allowed"),
            denied=fields.integer("denied"),
            destinations=fields.items("destinations", mapping),
            truncated=fields.flag("truncated"),
            counters=_counters(fields) if isinstance(value, Mapping) and "counters" in value else None,
        )
        fields.end()
        return egress


def _counters(fields: Fields) -> Mapping[str, int]:
    return {name: integer(count) for name, count in fields.mapping("counters").items()}
