"""A run's manifest: everything that decides its result, gathered from those who own it."""

from collections.abc import Sequence

import attrs

from harness.agents import opencode
from harness.benchmarks.base import Benchmark
from harness.gateway import GatewaySettings, Model
from harness.pins import Closure
from harness.store.canonical import dumps, escape_all
from harness.store.digests import Digest, digest, parse_digest
from harness.store.manifest import Manifest


def manifest(
    benchmark: Benchmark,
    tasks: Sequence[str],
    repeats: int,
    *,
    policy: Model,
    agent: opencode.Settings,
    gateway: GatewaySettings,
    timeout: float,
    closure: Closure,
    demo: bool,
) -> Manifest:
    """The manifest of a run over ``tasks`` of a benchmark, or of its ``demo``; ``timeout`` in seconds."""
    return Manifest(
        benchmark=benchmark.name,
        tasks=benchmark.digest,
        plan={"tasks": list(tasks), "repeats": repeats, "demo": demo},
        prompts={
            "instruction": digest(benchmark.instruction.encode()),
            "asked": _asked(benchmark),
            "opencode_model_id": gateway.alias,
            "system_prompt": opencode.system_prompt(gateway.alias),
        },
        rootfs=parse_digest(closure.rootfs_sha256),
        agent=opencode.described(agent),
        model=policy.model,
        sampling=dict(policy.sampling),
        budgets={
            "timeout": timeout,
            "context": policy.context,
            "max_output": policy.max_output,
            "max_calls": gateway.max_calls,
            "max_tokens": gateway.max_tokens,
        },
        limits=attrs.asdict(agent.limits),
        date=gateway.date,
    )


def _asked(benchmark: Benchmark) -> Digest:
    """Digest of every prompt as the agent gets it: the questions stand in the task set, the words around them here."""
    prompts = {name: benchmark.prompt(name) for name in benchmark.ids}
    return digest(dumps(escape_all(prompts)))
