"""All checks of a machine, in the order in which they are printed."""

from harness.run.doctor import built, ids, kernel, places, resources
from harness.run.doctor.entering import Tried
from harness.run.doctor.values import Check, Seen


def diagnose(seen: Seen, tried: Tried) -> list[Check]:
    """Each requirement once. Pure: every machine can be judged by what was seen of it."""
    done = tried.checks
    checks = [
        kernel.release(seen),
        kernel.switches(seen),
        kernel.count(seen),
        kernel.apparmor(seen, done["namespace"]),
        ids.user(seen),
        *ids.ranges(seen),
        *ids.helpers(seen),
        done["namespace"],
        kernel.seccomp(seen),
        kernel.keyring(seen),
        kernel.cgroups(seen),
        *(done[name] for name in ("overlay", "tmpfs", "nftables", "sandbox", "limits")),
        resources.memory(seen),
        resources.cores(seen),
        resources.ulimits(seen),
        kernel.pids(seen),
        resources.clock(seen),
        resources.runtime_dir(seen),
        *places.scratch(seen),
        *built.nix(seen),
        built.modes(seen),
        *built.closure(seen),
    ]
    return checks + (places.run(seen.run) if seen.run else [])
