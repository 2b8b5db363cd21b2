"""What doctor found on the nodes of a cluster, as one table."""

from collections.abc import Iterator, Sequence

from harness.report.words import plain
from harness.run.slurm.nodes import Node


def table(nodes: Sequence[Node]) -> Iterator[str]:
    """A line for each node, then what is wrong: each finding once, with the nodes that have it."""
    wide = max([len(node.name) for node in nodes] + [4])
    yield f"{'node':<{wide}}  fit  cpus  memory MiB  failed  warnings"
    for node in nodes:
        counts = [sum(check["state"] == state for check in node.checks) for state in ("failed", "warning")]
        cpus, memory = _number(node.host.get("cpus")), _number(node.host.get("memory"))
        row = f"{'yes' if node.fit else 'NO':<3}  {cpus:>4}  {memory >> 20:>10}  {counts[0]:>6}  {counts[1]:>8}"
        yield plain(f"{node.name:<{wide}}  {row}")
    yield from map(plain, _findings(nodes))
    yield f"{sum(node.fit for node in nodes)} of {len(nodes)} nodes are fit"


def _findings(nodes: Sequence[Node]) -> Iterator[str]:
    found: dict[tuple[str, str, str, str], list[str]] = {}
    for node in nodes:
        if node.trouble:
            found.setdefault(("failed", "doctor", node.trouble, ""), []).append(node.name)
        for check in node.checks:
            if check["state"] in ("failed", "warning"):
                key = (check["state"], check["name"], check["found"], check["advice"])
                found.setdefault(key, []).append(node.name)
    for (state, name, text, advice), where in sorted(found.items()):
        yield f"{state:<8} {','.join(where)}: {name}: {text}"
        if advice:
            yield f"{'':<8} -> {advice}"


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
