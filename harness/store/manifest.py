"""The manifest: what decides a run's result. Its SHA-256 is the run's identity.

Not in it, since they don't decide what a model answers: the endpoint's address, how many tasks run at once, the judge
(which is the scorer's), the host, the build of the harness (which is observed).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import attrs

from harness.errors import CanonicalError
from harness.store.canonical import JSON, dumps, escape_all, loads_strict, unescape_all
from harness.store.digests import Digest, digest
from harness.store.fields import Fields, text
from harness.store.record import FORMAT as RECORD_FORMAT

FORMAT = 1
REPEATS_MAX = 10_000  # of a task

_DIGEST = re.compile(r"[0-9a-f]{64}")

# What it means that a digest differs: its digits tell nobody.
_MEANINGS = {
    "tasks": "the task set differs: other questions, answers or images, or another --demo-seed",
    "prompts.asked": "the words of the questions, or of the instruction around them, differ",
    "prompts.instruction": "the words of the instruction differ",
    "prompts.system_prompt": "OpenCode's system prompt differs; --opencode-model-id chooses it",
    "rootfs": "the sandbox's file tree differs: what is pinned for it was changed",
}


@attrs.frozen(kw_only=True)
class Manifest:
    """What decides a run's result; the mappings hold whatever JSON their owners put there."""

    benchmark: str
    tasks: Digest  # of the canonical task set: equal for each copy of the same data
    plan: Mapping[str, JSON]  # which tasks of the set, and how many repeats of each
    prompts: Mapping[str, JSON]  # the benchmark's own, and OpenCode's system prompt
    rootfs: Digest  # of the sandbox's file tree
    agent: Mapping[str, JSON]  # OpenCode's configuration
    model: str
    sampling: Mapping[str, JSON]  # empty where the endpoint's defaults hold
    budgets: Mapping[str, JSON]  # time-out, context and output limits, calls, tokens
    limits: Mapping[str, JSON]  # the sandbox's processors, memory, processes, disk
    date: str  # the pinned date, as the model reads it

    def to_json(self) -> dict[str, JSON]:
        """Its fields, with the versions of the formats."""
        own: dict[str, JSON] = attrs.asdict(self, recurse=False)
        return {"format": FORMAT, "record_format": RECORD_FORMAT, **own}

    def to_bytes(self) -> bytes:
        """Its canonical bytes."""
        return dumps(escape_all(self.to_json()))

    @property
    def identity(self) -> Digest:
        """The run's identity."""
        return digest(self.to_bytes())

    @property
    def planned(self) -> tuple[tuple[str, ...], int]:
        """The plan's tasks, and how many repeats of each; raises CanonicalError for a plan that is none."""
        fields = Fields(self.plan, "the plan")
        tasks, repeats = fields.items("tasks", text), fields.integer("repeats")
        if not tasks:
            raise CanonicalError("The plan has no tasks.")
        twice = [task for task, times in Counter(tasks).items() if times > 1]
        if twice:
            raise CanonicalError(f"The plan has the task {twice[0]!r} more than once.")
        if not 1 <= repeats <= REPEATS_MAX:
            raise CanonicalError(f"The plan has {repeats} repeats; there are 1 to {REPEATS_MAX}.")
        return tasks, repeats

    @classmethod
    def from_bytes(cls, data: bytes) -> "Manifest":
        """Read a manifest strictly; raises CanonicalError."""
        fields = Fields(unescape_all(loads_strict(data, canonical=True)), "the manifest")
        for name, known in (("format", FORMAT), ("record_format", RECORD_FORMAT)):
            version = fields.integer(name)
            if version != known:
                raise CanonicalError(f"The manifest's {name} is {version}; this version of the harness reads {known}.")
        manifest = cls(
            benchmark=fields.text("benchmark"),
            tasks=fields.digest("tasks"),
            plan=fields.mapping("plan"),
            prompts=fields.mapping("prompts"),
            rootfs=fields.digest("rootfs"),
            agent=fields.mapping("agent"),
            model=fields.text("model"),
            sampling=fields.mapping("sampling"),
            budgets=fields.mapping("budgets"),
            limits=fields.mapping("limits"),
            date=fields.text("date"),
        )
        fields.end()
        if manifest.to_bytes() != data:
            raise CanonicalError("The manifest is not as this version of the harness writes it.")
        return manifest


def differences(there: Manifest, now: Manifest) -> list[str]:
    """One line for each value that two manifests don't have in common, for a person to read."""
    return unequal(there.to_json(), now.to_json(), "in the folder", "now")


def unequal(first: JSON, second: JSON, in_first: str, in_second: str) -> list[str]:
    """One line for each value that two objects don't have in common; ``in_first`` such as ``in A`` says where it is."""
    return list(_unequal("", first, second, in_first, in_second))


def _unequal(name: str, first: JSON, second: JSON, in_first: str, in_second: str) -> Iterator[str]:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for key in sorted({*first, *second}):
            inner = f"{name}.{key}" if name else key
            if key not in second:
                yield f"{inner}: {_short(first[key])} {in_first}, not set {in_second}{_meaning(inner)}"
            elif key not in first:
                yield f"{inner}: not set {in_first}, {_short(second[key])} {in_second}{_meaning(inner)}"
            else:
                yield from _unequal(inner, first[key], second[key], in_first, in_second)
    elif dumps(escape_all(first)) != dumps(escape_all(second)):
        yield f"{name}: {_short(first)} {in_first}, {_short(second)} {in_second}{_meaning(name)}"


def _meaning(name: str) -> str:
    return f" ({_MEANINGS[name]})" if name in _MEANINGS else ""


def _short(value: JSON) -> str:
    if isinstance(value, str) and _DIGEST.fullmatch(value):
        return f"{value[:12]}..."
    text = dumps(escape_all(value)).decode()
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"
