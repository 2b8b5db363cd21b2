"""The harness itself, installed as an installer would: modules, metadata, console script, and a wrapper around that.

Inputs: ``source`` (the package's folder), ``project`` (pyproject.toml), ``python`` (the interpreter's store path),
``below`` (the environments with what it imports), ``wrapper`` (a shell script; ``@out@`` is this package) and
``closure`` (a list of all else that it needs).
"""

import base64
import hashlib
import re
import tomllib
from pathlib import Path
from typing import Any

from bytecode import compile_tree
from job import INPUTS, OUT, paths
from layer import make_environment
from wheel import Target, put, write_launchers


def version(source: Path) -> str:
    """The version, out of the package's ``__init__.py``."""
    found = re.search(r'^__version__ = "([^"]+)"$', (source / "__init__.py").read_text(), re.MULTILINE)
    if found is None:
        raise ValueError(f"{source}/__init__.py sets no __version__")
    return found[1]


def write_metadata(site: Path, project: dict[str, Any], number: str) -> str:
    """Write the ``.dist-info`` folder; returns the text of its entry points."""
    name = project["name"]
    info = site / f"{name.replace('-', '_')}-{number}.dist-info"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {number}", f"Summary: {project['description']}"]
    lines += [f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {requirement}" for requirement in project["dependencies"]]
    scripts = "".join(f"{script} = {reference}\n" for script, reference in project["scripts"].items())
    entry_points = f"[console_scripts]\n{scripts}"
    put(info / "METADATA", ("\n".join(lines) + "\n").encode())
    put(info / "WHEEL", b"Wheel-Version: 1.0\nGenerator: nix\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    put(info / "INSTALLER", b"nix\n")
    put(info / "entry_points.txt", entry_points.encode())
    files = sorted(path for path in site.rglob("*") if path.is_file())
    put(info / "RECORD", "".join(f"{record(path, site)}\n" for path in files).encode())
    return entry_points


def record(path: Path, site: Path) -> str:
    """The line of RECORD for an installed file."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
    return f"{path.relative_to(site)},sha256={digest},{path.stat().st_size}"


def main() -> None:
    """Install the package into ``OUT``."""
    source = Path(INPUTS["source"])
    site = make_environment(OUT, Path(INPUTS["python"]), paths("below"))
    for path in sorted(path for path in source.rglob("*") if path.is_file()):
        put(site / "harness" / path.relative_to(source), path.read_bytes())
    project = tomllib.loads(Path(INPUTS["project"]).read_text())["project"]
    entry_points = write_metadata(site, project, version(source))
    target = Target(site=site, scripts=OUT / "libexec", data=OUT, shebang=f"#!{OUT}/bin/python3 -I")
    write_launchers(entry_points, target)
    put(OUT / "bin/harness", INPUTS["wrapper"].replace("@out@", str(OUT)).encode(), executable=True)
    put(OUT / "share/closure.json", Path(INPUTS["closure"]).read_bytes())
    compile_tree(site)


main()
