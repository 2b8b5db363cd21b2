"""Python bytecode that is the same in every build."""

import subprocess
import sys
from pathlib import Path


def compile_tree(
    *folders: Path,
    interpreter: Path = Path(sys.executable),
    root: Path | None = None,
    skip: str | None = None,
    check: bool = True,
) -> None:
    """Compile every module under ``folders`` with ``interpreter``.

    Unchecked hashes, since every file in a store has the same time. One job: what stands in a .pyc depends a little on
    what the same process compiled before. ``root`` is cut off the recorded names; ``skip`` is a regular expression of
    paths to leave out; without ``check``, modules that don't compile (templates, Python 2) are left as they are.
    """
    command: list[str | Path] = [interpreter, "-s", "-P", "-B", "-m", "compileall", "-q", "-f", "-j", "1"]
    command += ["--invalidation-mode", "unchecked-hash"]
    command += ["-s", root, "-p", "/"] if root else []
    command += ["-x", skip] if skip else []
    subprocess.run([*command, *folders], check=check, env={"PYTHONHASHSEED": "0"})
