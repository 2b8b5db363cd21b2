"""Checking a run folder: everything is read, hashed again, put together again, and held against what names it."""

import attrs

from harness.store.digests import Digest
from harness.store.runfolder import RunFolder
from harness.store.verify import attempts, files, grades, stated
from harness.store.verify.findings import Findings


@attrs.frozen
class Verified:
    """What checking a run folder has found.

    ``problems``: each as one text that names the path. ``unnamed``: whole blobs that nothing names. These, and
    ``unpublished`` measured attempts that don't count yet, are what a killed writer leaves behind: no damage.
    """

    problems: tuple[str, ...]
    rollouts: int
    attempts: int
    unnamed: tuple[Digest, ...]
    unpublished: int


def check(run: RunFolder) -> Verified:
    """Check all of a run folder; damage is a result, not an exception. Reads every byte once and some twice."""
    found = Findings()
    files.check(run, found)
    attempts.check(run, found)
    grades.check(run, found)
    stated.check(run, found)
    unnamed = sorted(found.blobs - found.named - found.damaged)
    return Verified(tuple(found.problems), len(found.counted), found.attempts, tuple(unnamed), found.unpublished)


def verify(run: RunFolder) -> list[str]:
    """Every problem of a run folder as one text that names the path; an empty list when all is well."""
    return list(check(run).problems)
