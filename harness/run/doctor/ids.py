"""Who the user is, and the ids that sandboxes get."""

from harness.errors import HostUnfitError
from harness.run.doctor.values import Check, Helper, Seen
from harness.sandbox import fitness, subids


def user(seen: Seen) -> Check:
    """An ordinary user with an entry where newuidmap can look it up."""
    *names, uid = seen.user.names
    if seen.within:
        return Check("user", "ok", f"root of a user namespace or container; outside of it uid {uid}")
    if seen.uid == 0:
        advice = "Start it as an ordinary user: sh nix/setup.sh CMD... makes one ready."
        return Check("user", "warning", "this is root, who needs no sandbox to do harm", advice)
    if seen.user.in_passwd:
        return Check("user", "ok", f"{names[0]}, uid {uid}, in /etc/passwd")
    found = f"uid {uid} is not in /etc/passwd"
    if names:
        return Check("user", "ok", f"{found}; taken for {names[0]} of a directory service, as the environment says")
    return Check(
        "user",
        "warning",
        f"{found}, and neither USER nor LOGNAME says what it is called",
        "Set USER to this user's name, unless /etc/subuid names the uid.",
    )


def ranges(seen: Seen) -> list[Check]:
    """The lines in /etc/subuid and /etc/subgid; or what stands for them within a namespace."""
    if seen.within:
        named = (("subuid", seen.within.users), ("subgid", seen.within.groups))
        return [Check(name, "ok", f"{_room(one)}, of those that are mapped in this namespace") for name, one in named]
    return [_range(seen, str(file)) for file in (fitness.SUBUID, fitness.SUBGID)]


def _range(seen: Seen, file: str) -> Check:
    def judge() -> str:
        text = seen.files.get(file, "")
        best = subids.choose(text, seen.user.names, file, in_passwd=seen.user.in_passwd)
        lines = len(subids.parse(text, seen.user.names))
        return _room(best, f" (the largest of {lines} ranges)" if lines > 1 else "")

    return Check.judged(file.rpartition("/")[2], judge)


def _room(ids: subids.IdRange, which: str = "") -> str:
    return f"{ids.count} ids from {ids.first} on{which}: {ids.count // subids.SLOT_IDS} sandboxes at a time"


def helpers(seen: Seen) -> list[Check]:
    """newuidmap and newgidmap, with their privilege; none is needed within a namespace."""
    if seen.within:
        found = "not needed: as root of this namespace the harness maps ids itself"
        return [Check(name, "ok", found) for name in seen.helpers]
    return [_helper(name, helper, seen.env.get("PATH", "")) for name, helper in seen.helpers.items()]


def _helper(name: str, helper: Helper | None, path: str) -> Check:
    def judge() -> str:
        if helper is None:
            fitness.check_helper(name, None, path)
            raise AssertionError("a helper that isn't there was not complained of")
        file = fitness.check_helper(name, helper.found, path)
        if "nosuid" in helper.mount.options:
            raise HostUnfitError(
                f"{file} is on a file system that is mounted nosuid.",
                f"As root: mount -o remount,suid {helper.mount.point}",
            )
        return f"{file}, mode {helper.found.mode:04o}, sha256 {helper.sha256 or 'not known: it may not be read'}"

    return Check.judged(name, judge)
