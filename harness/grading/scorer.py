"""Which scorer it is: everything that decides a score, as one digest.

A scorer's description is canonical JSON, and a blob of each run that it scored::

    format     of the description
    mode       how the benchmark is graded (`harness.grading.mode`)
    judge      the judge's model and parameters, as they stand in a request
    prompt     SHA-256 of the judge's instructions
    judging    the replies of which judging count: 0 is the run's own, each time that all is asked anew has the next one
    code       {module: SHA-256 of its code}: what decides a score, without comments and docstrings; of a benchmark
               with a rule of its own ``file`` is the code of its file

Equal records and equal scorers give equal scores, byte for byte.
"""

import ast
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final

import attrs

import harness
from harness.errors import CanonicalError
from harness.grading.mode import Mode
from harness.grading.prompt import INSTRUCTIONS, JudgeSettings
from harness.store.canonical import JSON, dumps, loads_strict
from harness.store.digests import Digest, digest, parse_digest
from harness.store.fields import Fields, text

FORMAT: Final = 2

# The modules of this package that ask, keep and describe, and decide no score.
_DECIDE_NOTHING: Final = {"__init__", "grader", "judge", "mode", "own", "scorer", "transport"}
# What decides only where a benchmark has a rule of its own; and how its file is called beside the modules.
_OWN: Final = "harness.grading.checked"
FILE: Final = "file"
# What a reply of the judge must be to be read at all, and what stands in the file of a score.
_STORE: Final = ("harness.store.canonical", "harness.store.score", "harness.store.usual")


@attrs.frozen(slots=False, kw_only=True)
class Scorer:
    """What decides a score."""

    judge: JudgeSettings
    mode: str
    prompt: Digest
    code: Mapping[str, Digest] = attrs.field(repr=False)
    judging: int = 0

    @cached_property
    def description(self) -> bytes:
        """The canonical description."""
        value: dict[str, JSON] = {
            "format": FORMAT,
            "mode": self.mode,
            "judge": self.judge.to_json(),
            "prompt": self.prompt,
            "judging": self.judging,
            "code": dict(self.code),
        }
        return dumps(value)

    @cached_property
    def digest(self) -> Digest:
        """The scorer's name."""
        return digest(self.description)

    def with_judging(self, judging: int) -> "Scorer":
        """The same scorer, for which other replies of the same judge count."""
        return attrs.evolve(self, judging=judging)


def scorer(
    judge: JudgeSettings,
    mode: Mode,
    sources: Iterable[str] = (),
    *,
    judging: int = 0,
    package: Path = Path(harness.__file__).parent,
) -> Scorer:
    """The scorer that the code of ``package`` is; ``sources``: names of a benchmark's own modules that decide."""
    own = (path.stem for path in (package / "grading").glob("*.py"))
    modules = [f"harness.grading.{name}" for name in own if name not in _DECIDE_NOTHING]
    ruled = mode.own is not None and mode.own.rule is not None
    names = {*modules, *_STORE, *sources} - (set() if ruled else {_OWN})
    code = {name: _code(package, name) for name in sorted(names)}
    if mode.own is not None and ruled:
        code[FILE] = digest(code_of(mode.own.source.decode("utf-8-sig")).encode())
    return Scorer(judge=judge, mode=mode.name, prompt=digest(INSTRUCTIONS.encode()), code=code, judging=judging)


def described(description: bytes) -> Scorer:
    """The scorer of a description; raises CanonicalError."""
    fields = Fields(loads_strict(description, canonical=True), "the scorer's description")
    version = fields.integer("format")
    if version != FORMAT:
        raise CanonicalError(f"The scorer's format is {version}; this version of the harness reads {FORMAT}.")
    found = Scorer(
        mode=fields.text("mode"),
        judge=JudgeSettings.from_json(fields.any("judge")),
        prompt=fields.digest("prompt"),
        judging=fields.integer("judging"),
        code={name: parse_digest(text(value)) for name, value in fields.mapping("code").items()},
    )
    fields.end()
    return found


def _code(package: Path, name: str) -> Digest:
    path = package.joinpath(*name.split(".")[1:]).with_suffix(".py")
    return digest(code_of(path.read_text(encoding="utf-8")).encode())


def code_of(source: str) -> str:
    """A module's code in one spelling, without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            described = ast.get_docstring(node, clean=False) is not None
            node.body = (node.body[1:] or [ast.Pass()]) if described else node.body
    return ast.unparse(tree)
