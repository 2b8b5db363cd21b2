"""What the kernel must give, as far as it can be read."""

from harness.run.doctor.values import Check, Seen, State
from harness.sandbox import fitness
from harness.sandbox.values import Limits

#: Namespaces that the harness takes beside those of its sandboxes, with room for podman's and nsenter's.
OWN_NAMESPACES = 16
#: What our filter of system calls answers with.
SECCOMP = {"errno", "allow"}
ACTIONS = "/proc/sys/kernel/seccomp/actions_avail"
KEYS = "/proc/key-users"


def release(seen: Seen) -> Check:
    """The pins are for one kind of machine only."""
    found = f"Linux {seen.release} on {seen.machine}"
    if seen.machine != "x86_64":
        return Check("kernel", "failed", found, "Use an x86_64 machine: everything that is pinned is built for it.")
    return Check("kernel", "ok", found)


def switches(seen: Seen) -> Check:
    """Whether a known switch forbids user namespaces."""

    def judge() -> str:
        fitness.check_switches(seen.sysctls, "" if seen.within else seen.files.get("/proc/self/status", ""))
        said = (f"{name.replace('/', '.')} is {value}" for name, value in sorted(seen.sysctls.items()))
        return ", ".join(said) or "this kernel has no switches for them"

    return Check.judged("user namespaces", judge)


def count(seen: Seen) -> Check:
    """Whether there may be so many namespaces as there are ids for sandboxes, or at least for a few."""
    name = "number of namespaces"
    allowed = [
        (int(value), key.replace("/", "."))
        for key, value in seen.sysctls.items()
        if key.startswith("user/") and value.isdecimal()
    ]
    if not allowed:
        return Check(name, "not known", "this kernel doesn't say how many it allows")
    least, which = min(allowed)
    sandboxes = max(0, least - OWN_NAMESPACES)
    if sandboxes >= max(seen.cpus, 4):
        return Check(name, "ok", f"{least} ({which}): enough for {sandboxes} sandboxes at a time")
    state: State = "warning" if sandboxes else "failed"
    setting = fitness.SYSCTLS[which.replace(".", "/")]
    return Check(
        name,
        state,
        f"{which} is {least}: that may not be enough for more than {sandboxes} sandboxes at a time",
        f"As root: sysctl -w {setting}",
    )


def apparmor(seen: Seen, entered: Check) -> Check:
    """Ubuntu's restriction goes by the program's path: whether it hits us is seen by trying."""
    restriction = fitness.apparmor(seen.sysctls)
    if restriction is None:
        return Check("apparmor", "ok", "no restriction of user namespaces")
    if entered.state == "ok":
        return Check("apparmor", "ok", f"{restriction.found} Our unshare is allowed all the same")
    return Check.lacking("apparmor", restriction)


def seccomp(seen: Seen) -> Check:
    """Filters of system calls."""
    actions = set(seen.files.get(ACTIONS, "").split())
    if actions >= SECCOMP:
        return Check("seccomp", "ok", f"the kernel's answers: {' '.join(sorted(actions))}")
    return Check(
        "seccomp",
        "failed",
        "this kernel can't filter system calls: the sandbox's filter can't be loaded",
        "Use a kernel with CONFIG_SECCOMP_FILTER.",
    )


def keyring(seen: Seen) -> Check:
    """runc takes a session keyring for each container; the kernel counts keys by user."""
    table = seen.files.get(KEYS)
    if table is None:
        return Check("kernel keyring", "ok", "this kernel has none; nothing needs it")
    for line in table.splitlines():
        uid, _, rest = line.strip().partition(":")
        fields = rest.split()
        if uid == str(seen.uid) and len(fields) >= 3:
            used, _, most = fields[2].partition("/")
            if int(used) + 4 > int(most):
                return Check(
                    "kernel keyring",
                    "warning",
                    f"{used} of this user's {most} keys are in use",
                    "As root: sysctl -w kernel.keys.maxkeys=2000",
                )
            return Check("kernel keyring", "ok", f"{used} of this user's {most} keys are in use")
    return Check("kernel keyring", "ok", "this user has no keys yet")


def cgroups(seen: Seen) -> Check:
    """Which version there is. Whether it holds a sandbox's limits is seen by trying."""
    name, controllers = "cgroups", seen.files.get("/sys/fs/cgroup/cgroup.controllers")
    if controllers is not None:
        return Check(name, "ok", f"version 2, with the controllers {controllers.strip() or '(none)'}")
    rows = [line.split() for line in seen.files.get("/proc/cgroups", "").splitlines()]
    found = " ".join(row[0] for row in rows if row and not row[0].startswith("#"))
    return Check(
        name,
        "warning",
        f"version 1, with the controllers {found}" if found else "none",
        "A watchdog and ulimits take the place of some limits. For all: boot with systemd.unified_cgroup_hierarchy=1.",
    )


def pids(seen: Seen) -> Check:
    """How many processes the kernel and the cgroup allow."""
    name, need = "number of processes", Limits().pids
    limits = {
        path: int(text)
        for path, text in seen.files.items()
        if path.endswith(("/pid_max", "/threads-max", "/pids.max")) and text.strip().isdecimal()
    }
    if not limits:
        return Check(name, "not known", "the kernel doesn't say how many it allows")
    path, least = min(limits.items(), key=lambda one: one[1])
    found = f"at most {least} ({path})"
    if least >= 4 * need:
        return Check(name, "ok", found)
    state: State = "warning" if least > need else "failed"
    return Check(name, state, f"{found}; one sandbox may have {need}", f"As root: echo {8 * need} > {path}")
