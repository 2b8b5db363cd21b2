"""Hand this source tree over to an account, run a command there, bring the results back.

usage, as root: python3 -I -B nix/setup/handover ACCOUNT PATH [-q] CMD...   (PATH: the command's; -q: say nothing)
"""

import hashlib
import os
import re
import sys
from pathlib import Path

import arguments
import export
import inbox
import supervise
from account import Account, HandoverError, run_as, say
from results import Place, bring_back, bring_in
from turn import Turns

_LOCKS = Path("/run/hermetic-setup")
_EXIT_USAGE = 2
_EXIT_UNFIT = 4


def main(tree: Path, account: Account, path: str, command: list[str], locks: Path = _LOCKS) -> int:
    """Return the command's exit status; 2 for an argument out of its reach, 4 where a hand-over failed."""
    quiet = command[:1] == ["-q"]
    key = f"{re.sub(r'[^A-Za-z0-9._-]', '-', tree.name)}-{hashlib.sha256(os.fsencode(tree)).hexdigest()[:8]}"
    below = f"trees/{key}/tree"
    folder = account.home / below
    environment = account.environment(path, os.environ)
    turns = Turns(locks, key)

    entries = export.read_tree(tree, account)
    folders = export.folders(entries)
    source = folders | {entry.path for entry in entries}
    if lost := list(arguments.unreachable(command[quiet + 1 :], tree, source, account)):
        for line in lost:
            say(line)
        return _EXIT_USAGE
    checkout, work = Place(tree, ".", source), Place(account.home, below, source)

    with turns.change():
        run_as(account, lambda: export.receive(entries, folder, environment))
        known = bring_in(checkout, work, account, folders)
        running = turns.start()
    environment |= inbox.hand_over(environment, account, folder.parent / "in")
    if not quiet:
        say(f"results appear in {folder} and come to {tree} when the command ends")
    status = supervise.run(command[quiet:], folder, environment, account, running)
    try:
        with turns.change():
            if turns.nobody_runs():
                returned = bring_back(work, checkout, account, folders)
            else:
                say(f"something still runs on this checkout: the results stay in {folder} until the last call ends")
                return status
    except (HandoverError, OSError) as error:
        say(f"{error}; the results that are not in {tree} are still in {folder}")
        return status or _EXIT_UNFIT
    new = [result for result in returned if result not in known]
    if new:
        say(f"results: {' '.join(new)}")
    return status


if __name__ == "__main__":
    supervise.hold_signals()
    os.umask(0o022)
    try:
        sys.exit(main(Path(__file__).resolve().parents[3], Account.named(sys.argv[1]), sys.argv[2], sys.argv[3:]))
    except (HandoverError, OSError) as error:
        say(str(error))
        sys.exit(_EXIT_UNFIT)
