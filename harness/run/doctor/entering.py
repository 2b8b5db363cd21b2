"""Having `inside` try things in the namespace, as the harness enters it for a run."""

import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import attrs

from harness.errors import HarnessError, HostUnfitError
from harness.run.doctor import inside
from harness.run.doctor.values import Check
from harness.sandbox import namespace

#: What can't be tried without what stands before it.
TRIED = ("namespace", "overlay", "tmpfs", "nftables", "sandbox", "limits")


@attrs.frozen
class Tried:
    """By name one check for each of `TRIED`; ``vectors`` and ``twins`` are the self-test's, None where none was run."""

    checks: Mapping[str, Check]
    vectors: list[dict[str, Any]] | None
    twins: list[dict[str, Any]] | None


@contextmanager
def standard_output() -> Iterator[BinaryIO]:
    """What is printed meanwhile, by this process or those that inherit its standard output."""
    with os.fdopen(os.memfd_create("output"), "w+b") as file:
        before = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            yield file
        finally:
            os.dup2(before, 1)
            os.close(before)


def enter(selftest: str, env: Mapping[str, str]) -> Tried:
    """``selftest`` is quick, full or empty.

    Raises:
        KeyboardInterrupt: a signal ended it.
        HarnessError: it was killed, or failed in a way that says nothing about the host.
    """
    words = [word for word in (selftest,) if word]
    with standard_output() as file:
        try:
            # By the same process that would enter it for a run: a cgroup that it has to itself is then seen as such.
            status = namespace.enter([sys.executable, "-I", "-m", inside.__name__, *words], env)
        except HostUnfitError as error:
            return read({"checks": [Check.lacking("namespace", error).to_json()]})
        file.seek(0)
        said = file.read()
    if status in (128 + signal.SIGINT, 128 + signal.SIGTERM):
        raise KeyboardInterrupt
    if status != 0:
        raise HarnessError(f"What is tried in the namespace ended with status {status}; see above.")
    return read(json.loads(said))


def read(told: Mapping[str, Any]) -> Tried:
    """What `inside` prints."""
    checks = {one["name"]: Check(**one) for one in told["checks"]}
    failed = next((name for name in TRIED if name in checks and checks[name].state == "failed"), "sandbox")
    unknown = {
        name: Check(name, "not known", "not tried", f"Mend this first: {failed}.")
        for name in TRIED
        if name not in checks
    }
    return Tried({**checks, **unknown}, told.get("vectors"), told.get("twins"))
