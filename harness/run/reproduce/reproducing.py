"""``harness reproduce``: an archive is checked, and all that it claims is done again from its record.

The results stand in one folder: ``recorded`` (the archive's run), ``again`` (the run made from it), ``report.json``
(what was found) and, where a bundle was installed, ``bin/harness``.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import attrs

from harness.benchmarks.base import NAME
from harness.errors import EXIT_CHECK, EXIT_COVERAGE, EXIT_OK, HarnessError, StoreCorruptError, UsageError
from harness.run import own, scorers
from harness.run.reproduce import commands, finding
from harness.run.reproduce.comparing import Compared, Count, compare
from harness.run.reproduce.finding import Found, Means
from harness.store import atomic
from harness.store.archive import checking, sources
from harness.store.archive.importing import import_archive
from harness.store.canonical import dumps_escaped
from harness.store.digests import Digest
from harness.store.provenance import starts
from harness.store.runfolder import RunFolder

FOLDER: Final = "reproductions"  # where the results stand unless a person says otherwise

Say = Callable[[str], None]


@attrs.frozen(kw_only=True)
class Reproduced:
    """What reproducing an archive came to.

    ``rescored``: scores that are computed from the record with the same bytes; ``compared``: the run that was made
    again. ``unmeasured``: planned rollouts without a measurement in the record, which nothing can be said of.
    ``builds``: how many harnesses are known to have played the run.
    """

    archive: Path
    digest: Digest
    folder: Path
    harness: Found
    builds: int
    manifest: Digest
    content: Digest
    again: Digest
    rescored: Count
    compared: Compared
    unmeasured: int
    first: str | None

    @property
    def identical(self) -> bool:
        """Whether nothing differs."""
        return self.first is None

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        return {
            "archive": str(self.archive),
            "digest": f"sha256:{self.digest}",
            "folder": str(self.folder),
            "harness": None if self.harness.package is None else str(self.harness.package),
            "harness_from": self.harness.where,
            "harness_builds": self.builds,
            "store_paths_proven": self.harness.proven,
            "manifest": self.manifest,
            "content_digest": self.content,
            "content_digest_again": self.again,
            "scores": attrs.asdict(self.rescored),
            "rollouts": attrs.asdict(self.compared.rollouts),
            "scores_again": attrs.asdict(self.compared.scores),
            "unmeasured": self.unmeasured,
            "first_difference": self.first,
            "reproduced": self.identical,
        }


def reproduce(
    archive: Path, to: Path | None, means: Means, jobs: int | None, say: Say, benchmark: Path | None = None
) -> Reproduced:
    """Reproduce an archive; ``jobs`` sandboxes at a time, ``benchmark`` the file of one's own benchmark.

    Raises StoreCorruptError for an archive that is damaged; UsageError where there is none, or nothing was measured in
    it; as `finding.find` does; KeyboardInterrupt, after which the same call goes on.
    """
    with sources.source(archive) as source:
        facts = checking.read(source).artifact.facts
    # It is another's word, and becomes a folder's name and a command's argument.
    if NAME.fullmatch(facts.benchmark) is None:
        raise StoreCorruptError(f"{archive} says that its benchmark is {facts.benchmark[:80]!r}: none is called so.")
    folder = to or Path(FOLDER) / f"{facts.benchmark}-{facts.manifest[:8]}"
    say(f"checking {archive}")
    checked = import_archive(archive, folder / "recorded").checked
    there = RunFolder.open(folder / "recorded")
    if not facts.rollouts:
        raise UsageError(f"{archive} has no rollout that was measured: there is nothing to reproduce.")
    own.check_file(there, benchmark)
    file = None if benchmark is None else benchmark.absolute()
    known = starts(there.layout)
    found = finding.find(finding.maker(known), means, folder, say)
    say(f"with {found.package or 'a harness out of no store'}")
    rescored, wrong = _rescored(found, there, file)
    now = _again(found, there, folder / "again", jobs, file)
    compared = compare(there, now, scorers.current(there))
    tasks, repeats = there.manifest.planned
    done = Reproduced(
        archive=archive,
        digest=checked.digest,
        folder=folder,
        harness=found,
        builds=len({start.harness for start in known if start.harness}),
        manifest=there.identity,
        content=there.content_digest(),
        again=now.content_digest(),
        rescored=rescored,
        compared=compared,
        unmeasured=len(tasks) * repeats - compared.rollouts.of,
        first=wrong or compared.first,
    )
    atomic.write(folder / "report.json", dumps_escaped(done.to_json()))
    return done


def _rescored(found: Found, there: RunFolder, file: Path | None) -> tuple[Count, str | None]:
    """The scores that the record gives again, and the first file that it doesn't."""
    argv = [*found.command, "rescore", str(there.layout.root), "--check", "--json"]
    argv += [] if file is None else ["--benchmark", str(file)]
    _, out = commands.run(argv, [EXIT_OK, EXIT_CHECK], "Scoring the record again")
    report = _object(out)
    # A run that was never finished has no summary; its scores can be right all the same.
    wrong = [each for each in report["differences"] if each != {"path": "summary.json", "what": "missing"}]
    scores = sum(each["path"].startswith("scores/") and each["what"] != "extra" for each in wrong)
    first = f"{wrong[0]['path']}, computed from the record: {wrong[0]['what']}" if wrong else None
    return Count(report["scores"] - scores, report["scores"]), first


def _again(found: Found, there: RunFolder, target: Path, jobs: int | None, file: Path | None) -> RunFolder:
    name = there.manifest.benchmark if file is None else str(file)
    argv = [*found.command, "eval", name, "--policy", f"replay:{there.layout.root}", "--json"]
    argv += ["--run", str(target), *(["--jobs", str(jobs)] if jobs else [])]
    commands.run(argv, [EXIT_OK, EXIT_COVERAGE], "Running everything again from the record")
    return RunFolder.open(target)


def _object(out: bytes) -> Any:
    try:
        return json.loads(out)
    except ValueError as error:
        raise HarnessError(f"The harness that made the run printed no JSON: {out[:200]!r}.") from error
