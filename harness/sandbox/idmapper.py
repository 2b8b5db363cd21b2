"""Stands for newuidmap and newgidmap where the harness is root of a user namespace: there no setuid program is needed.

A process that may set ids in its namespace may write the maps of one that it made. unshare calls newuidmap by that name
from PATH, so the harness puts this text there, for its own Python.

usage: ``newuidmap PID INSIDE OUTSIDE COUNT...``
"""

import sys

FILES = {"newuidmap": "uid_map", "newgidmap": "gid_map"}


def main() -> None:
    """See the module's docstring."""
    name, pid, *numbers = sys.argv
    lines = [" ".join(numbers[at : at + 3]) for at in range(0, len(numbers), 3)]
    file = FILES[name.rpartition("/")[2]]
    try:
        with open(f"/proc/{pid}/{file}", "w") as written:  # noqa: PTH123  pathlib takes time to load
            written.write("".join(f"{line}\n" for line in lines))
    except OSError as error:
        sys.exit(f"{name.rpartition('/')[2]}: the ids {', '.join(lines)} can't be mapped: {error.strerror}")


if __name__ == "__main__":
    main()
