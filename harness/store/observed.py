"""The half of a record that belongs to a place and time.

As JSON::

    started_ns, ended_ns    nanoseconds since 1970, as text
    host                    the node's name
    sessions                OpenCode's session ids
    how, exit_code          how the agent's process ended
    reason                  why, in the words of the moment (null where the content's reason says it)
    egress                  {ruleset_sha256, allowed, denied, destinations, truncated, counters}, or null without a
                            sandbox; without counters in records of versions that kept none. With them, ruleset_sha256
                            and seccomp_sha256 are the names of blobs
    seccomp_sha256          digest of the system call filter, or null without a sandbox
    limits                  {limit: what held it}
    dead                    by what it was seen that nothing of the sandbox lived when it was read and graded: init,
                            ids, cgroup; not there without a sandbox, or in records of versions that did not say so
    full                    writable folders that were full at the end
    peak_rss                bytes, or null
    artifacts               {name: SHA-256 of its bytes}: OpenCode's events, its stderr; they stand in the pack
    pack                    {blob, names, bodies}: the blob of the bodies and artifacts (`harness.store.pack`), the
                            blobs that it names, and what all bodies are known by: SHA-256 of the canonical list of
                            [SHA-256 of the request, of the answer]; null where there are none
    refusals                what the gateway refused, as it described it
    calls                   [{started_ns, ended_ns, tries}]; tries: [{started_ns, ended_ns, status, trouble, given_up}],
                            what each try at the endpoint came to, and whether it was the last that would be made; not
                            there where the first one was answered
"""

from collections.abc import Iterable, Mapping

import attrs

from harness.store.canonical import JSON, dumps
from harness.store.digests import Digest, digest, parse_digest
from harness.store.egress import Egress
from harness.store.fields import Fields, mapping, text


@attrs.frozen
class PackRef:
    """The blob that holds an attempt's bodies and artifacts, and the blobs that are named in it, sorted.

    ``bodies``: `bodies_digest` of the requests and answers as they were.
    """

    blob: Digest
    names: tuple[Digest, ...]
    bodies: Digest

    def to_json(self) -> JSON:
        """As it stands in the record."""
        return {"blob": self.blob, "names": list(self.names), "bodies": self.bodies}


def bodies_digest(bodies: Iterable[tuple[Digest, Digest]]) -> Digest:
    """What all bodies of an attempt are known by: ``bodies`` are the digests of each request and its answer."""
    return digest(dumps([list(pair) for pair in bodies]))


@attrs.frozen(kw_only=True)
class CallObserved:
    """One call's times, and the tries that it took."""

    started_ns: int
    ended_ns: int
    tries: tuple[Mapping[str, JSON], ...] = ()

    def to_json(self) -> JSON:
        """As it stands in the record."""
        times: dict[str, JSON] = {"started_ns": str(self.started_ns), "ended_ns": str(self.ended_ns)}
        return {**times, "tries": list(self.tries)} if self.tries else times


@attrs.frozen(kw_only=True)
class Observed:
    """What was observed of one attempt."""

    started_ns: int
    ended_ns: int
    host: str
    sessions: tuple[str, ...]
    how: str | None
    exit_code: int | None
    reason: str | None
    egress: Egress | None
    seccomp_sha256: Digest | None
    limits: Mapping[str, str]
    dead: tuple[str, ...] = ()
    full: tuple[str, ...]
    peak_rss: int | None
    artifacts: Mapping[str, Digest]
    pack: PackRef | None = None
    refusals: tuple[Mapping[str, JSON], ...]
    calls: tuple[CallObserved, ...]

    @property
    def waiting_ns(self) -> int:
        """How long the attempt waited for the endpoint: times in which at least one call was under way, summed up."""
        return under_way((call.started_ns, call.ended_ns) for call in self.calls)

    def filters(self) -> set[Digest]:
        """The blobs of the sandbox's rules and of its system call filter; none where a record only has digests."""
        if self.egress is None or self.egress.counters is None:
            return set()
        return {self.egress.ruleset_sha256, *([self.seccomp_sha256] if self.seccomp_sha256 else [])}

    def to_json(self) -> JSON:
        """The half as it stands in the record."""
        return {
            "started_ns": str(self.started_ns),
            "ended_ns": str(self.ended_ns),
            "host": self.host,
            "sessions": list(self.sessions),
            "how": self.how,
            "exit_code": self.exit_code,
            "reason": self.reason,
            "egress": None if self.egress is None else self.egress.to_json(),
            "seccomp_sha256": self.seccomp_sha256,
            "limits": dict(self.limits),
            **({"dead": list(self.dead)} if self.dead else {}),
            "full": list(self.full),
            "peak_rss": self.peak_rss,
            "artifacts": dict(self.artifacts),
            "pack": None if self.pack is None else self.pack.to_json(),
            "refusals": list(self.refusals),
            "calls": [call.to_json() for call in self.calls],
        }

    @classmethod
    def from_json(cls, value: JSON) -> "Observed":
        """Read the half strictly; raises CanonicalError."""
        fields = Fields(value, "what was observed")
        observed = cls(
            started_ns=fields.nanoseconds("started_ns"),
            ended_ns=fields.nanoseconds("ended_ns"),
            host=fields.text("host"),
            sessions=fields.items("sessions", text),
            how=fields.optional("how", fields.text),
            exit_code=fields.optional("exit_code", fields.integer),
            reason=fields.optional("reason", fields.text),
            egress=fields.optional("egress", lambda name: Egress.from_json(fields.any(name))),
            seccomp_sha256=fields.optional("seccomp_sha256", fields.digest),
            limits={name: text(item) for name, item in fields.mapping("limits").items()},
            dead=fields.items("dead", text) if isinstance(value, Mapping) and "dead" in value else (),
            full=fields.items("full", text),
            peak_rss=fields.optional("peak_rss", fields.integer),
            artifacts={name: parse_digest(item) for name, item in fields.mapping("artifacts").items()},
            pack=fields.optional("pack", lambda name: _pack(fields.any(name))),
            refusals=fields.items("refusals", mapping),
            calls=fields.items("calls", _call),
        )
        fields.end()
        return observed


def under_way(calls: Iterable[tuple[int, int]]) -> int:
    """How long at least one of some calls was under way, by their beginnings and ends (nanoseconds)."""
    total, until = 0, 0
    for started, ended in sorted(calls):
        total += max(0, ended - max(started, until))
        until = max(until, ended)
    return total


def _pack(value: JSON) -> PackRef:
    fields = Fields(value, "the pack")
    pack = PackRef(fields.digest("blob"), fields.items("names", parse_digest), fields.digest("bodies"))
    fields.end()
    return pack


def _call(value: JSON) -> CallObserved:
    fields = Fields(value, "a call")
    call = CallObserved(
        started_ns=fields.nanoseconds("started_ns"),
        ended_ns=fields.nanoseconds("ended_ns"),
        tries=fields.items("tries", mapping) if isinstance(value, Mapping) and "tries" in value else (),
    )
    fields.end()
    return call
