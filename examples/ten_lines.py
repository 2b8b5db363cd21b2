"""The harness from Python: two of the demo's puzzles, without keys, data or a network, then what came of them."""

import sys

from harness.api import evaluate

run = evaluate("babyvision", demo=True, limit=2, jobs=2, run=sys.argv[1], progress=print)
print(f"{run.summary.reward} in {run.summary.interval}, coverage {run.summary.coverage:.0%}")
for rollout in run.rollouts():
    print(rollout.task, rollout.outcome, rollout.reward, rollout.answer, len(rollout.conversation()), "turns")
print(run.verify(egress=True)["egress"])
