#!/usr/bin/env bash
# In the machine, after install.sh: what only cgroup v2 and a user's systemd can show. Each step says what it found; the
# exit status is the number of steps that failed. Emulation is slow: the agent gets more time for its first call.
set -uo pipefail
harness=~/harness/bin/harness failed=0
slow=(--first-call 1500 --timeout 3000 --max-attempts 1 --no-preflight)
cd "$(mktemp -d)" || exit 1

step() { echo "== $1"; }
check() { # check WORDS CONDITION...: a condition that doesn't hold is a failure
    local words=$1
    shift
    if "$@"; then echo "ok    $words"; else echo "FAILED $words"; failed=$((failed + 1)); fi
}
# Of the one record of a run: what held the limits, by what the end was seen, the outcome.
record() {
    python3 - "$1" <<'PYTHON'
import json, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).glob("attempts/*/*/*.json")):
    record = json.loads(path.read_bytes())
    observed, outcome = record["observed"], record["content"]["outcome"]
    print(path.parent.parent.name, outcome["kind"], observed["how"], observed["limits"], observed.get("dead"), observed["reason"])
PYTHON
}
# Whatever a harness leaves behind: processes, mounts, cgroups, scopes.
left() {
    ps -u ev -o pid=,args= | grep -E 'podman|conmon|opencode|harness\.cli|init\.py' | grep -v grep
    ps -eo pid=,uid=,args= | awk '$2 >= 100000'
    grep -E 'boxes|overlay' /proc/mounts
    find /sys/fs/cgroup -type d -name 'harness-*'
    systemctl --user --no-legend list-units --type=scope 'run-*'
}
nothing_left() { [ -z "$(left)" ] || { left; false; }; }

step "doctor, and the whole self-test"
time $harness doctor --sandbox
check "doctor finds this machine fit, no vector broken and every weakened twin detected" [ $? = 0 ]

step "two demo rollouts, every limit required"
time $harness eval babyvision --demo --limit 2 --jobs 2 --run two --require-limits "${slow[@]}" --json
check "two rollouts are measured" [ $? = 0 ]
record two | tee two.txt
check "memory, CPUs and processes were held by a cgroup" [ "$(grep -c "'cpus': 'cgroup'.*'memory': 'cgroup'.*'pids': 'cgroup'" two.txt)" = 2 ]
check "nothing is left" nothing_left

step "a task that eats memory, beside a neighbour with another endpoint"
time ~/harness/bin/python3 -I ~/source/tests/vm/eating.py $harness eval babyvision --demo --limit 1 --run eater \
    --memory-mib 1536 --require-limits "${slow[@]}"
record eater | tee eater.txt
check "the kernel ended the task that ate memory, and that is its outcome" grep -q 'out-of-memory out-of-memory' eater.txt
check "nothing is left" nothing_left

step "SIGKILL in the middle of a rollout"
$harness eval babyvision --demo --limit 1 --run killed "${slow[@]}" &
killed=$!
for _ in $(seq 600); do
    pgrep -f 'opencode run' >/dev/null && break
    sleep 1
done
check "the agent was at work" pgrep -f 'opencode run'
find /sys/fs/cgroup -type d -path '*harness-*'
kill -KILL $killed
wait $killed 2>/dev/null
sleep 20
check "nothing is left after SIGKILL" nothing_left

step "outside of a scope, with systemd's address hidden"
DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere XDG_RUNTIME_DIR=/nowhere $harness eval babyvision --demo --limit 1 --run refused \
    --require-limits "${slow[@]}"
check "a machine that can't hold the limits is refused (4)" [ $? = 4 ]
exit $failed
