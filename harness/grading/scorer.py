"""Which scorer it is: everything that decides a score, as one digest."""

import ast
from collections.abc import Iterable
from pathlib import Path

from harness.grading.prompt import INSTRUCTIONS, JudgeSettings
from harness.store.canonical import dumps
from harness.store.digests import Digest, digest

FORMAT = 1


def scorer_digest(settings: JudgeSettings, sources: Iterable[Path] = ()) -> Digest:
    """The digest of this package's code, the judge's prompt, model and parameters.

    ``sources``: a benchmark's own modules that decide about scores. Comments and docstrings don't count.
    """
    paths = [*Path(__file__).parent.glob("*.py"), *sources]
    code = sorted(digest(code_of(path.read_text(encoding="utf-8")).encode()) for path in paths)
    return digest(
        dumps({"format": FORMAT, "code": code, "prompt": digest(INSTRUCTIONS.encode()), "judge": settings.to_json()})
    )


def code_of(source: str) -> str:
    """A module's code in one spelling, without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            described = ast.get_docstring(node, clean=False) is not None
            node.body = (node.body[1:] or [ast.Pass()]) if described else node.body
    return ast.unparse(tree)
