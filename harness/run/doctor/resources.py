"""How much of everything there is: memory, processors, limits of this process, and the time."""

import datetime
import stat

from harness.run.doctor.values import Check, Seen
from harness.run.room import ROLLOUT_MEMORY
from harness.sandbox.values import MIB, Limits

#: No release of this harness is older.
EARLIEST = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


def meminfo(text: str) -> dict[str, int]:
    """Bytes by name, out of /proc/meminfo."""
    rows = (line.split() for line in text.splitlines() if line.endswith(" kB"))
    return {row[0].rstrip(":"): int(row[1]) * 1024 for row in rows}


def memory(seen: Seen) -> Check:
    """What is free now, against what one sandbox uses and may use."""
    rows = meminfo(seen.files.get("/proc/meminfo", ""))
    free, most = rows.get("MemAvailable"), Limits().memory
    if free is None:
        return Check("memory", "not known", "the kernel doesn't say how much is free")
    found = f"{free // MIB} MiB free of {rows.get('MemTotal', 0) // MIB} MiB, {rows.get('SwapFree', 0) // MIB} MiB swap"
    if free < ROLLOUT_MEMORY:
        advice = "End what uses the memory, or take another machine."
        return Check("memory", "failed", f"{found}; one rollout uses up to {ROLLOUT_MEMORY // MIB} MiB", advice)
    if free < most:
        advice = (
            f"Give --memory-mib a smaller number, but no less than {ROLLOUT_MEMORY // MIB}: then one rollout can't "
            "take what another needs."
        )
        return Check("memory", "warning", f"{found}; one sandbox may use {most // MIB} MiB", advice)
    return Check("memory", "ok", found)


def cores(seen: Seen) -> Check:
    """Processors that this process may use."""
    found, usual = f"{seen.cpus} that this process may use", Limits().cpus
    if seen.cpus < usual:
        advice = "Rollouts get slower, and may run into their time-out: raise --timeout, or use more processors."
        return Check("processors", "warning", f"{found}; a sandbox is meant to have {usual:g}", advice)
    return Check("processors", "ok", found)


def ulimits(seen: Seen) -> Check:
    """Hard limits below what sandboxes are given lower theirs."""
    wanted = {"nofile": Limits().open_files, "nproc": 2 * Limits().pids}
    low = {name: value for name, value in seen.ulimits.items() if value < wanted.get(name, 0)}
    if "fsize" in seen.ulimits:
        low["fsize"] = seen.ulimits["fsize"]
    found = ", ".join(f"{name} {value}" for name, value in sorted(seen.ulimits.items()) if name != "core") or "none"
    if low:
        return Check(
            "ulimits",
            "warning",
            f"hard limits: {found}; too low: {', '.join(sorted(low))}",
            "Raise them in /etc/security/limits.conf, or where this is started: a batch system has its own.",
        )
    return Check("ulimits", "ok", f"hard limits: {found}")


def clock(seen: Seen) -> Check:
    """A clock that is years off makes certificates fail and names folders after another day."""
    found = datetime.datetime.fromtimestamp(seen.now, tz=datetime.UTC)
    said = f"{found:%Y-%m-%d %H:%M:%S} UTC"
    if found < EARLIEST or found.year >= EARLIEST.year + 30:
        return Check("clock", "warning", f"{said}, which can't be", "As root: date -s, or start a time service.")
    return Check("clock", "ok", said)


def runtime_dir(seen: Seen) -> Check:
    """The harness makes one of its own; a user's systemd, which hands cgroups over, needs the real one."""
    name, value = "XDG_RUNTIME_DIR", seen.env.get("XDG_RUNTIME_DIR", "")
    if not value:
        return Check(name, "ok", "not set; sandboxes need none")
    folder = seen.runtime_dir
    if folder is None:
        found = f"{value} is not there"
    elif folder.owner != seen.uid or folder.mode & (stat.S_IRWXG | stat.S_IRWXO):
        found = f"{value} is not this user's alone"
    else:
        return Check(name, "ok", value)
    advice = "Unset it, or log in anew: systemd-run --user, which gives a cgroup, can't work with it."
    return Check(name, "warning", found, advice)
