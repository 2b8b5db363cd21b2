"""Each module that the harness has or imports, alone in a fresh process: an earlier import may hide a missing library.

Every library that the process then holds must lie in the Nix store.
"""

import importlib.metadata
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from job import INPUTS, OUT

# Parts with libraries of their own, which their packages load late.
LATE = [
    "PIL.Image",
    "PIL.ImageFont",
    "numpy.fft",
    "numpy.linalg",
    "numpy.random",
    "pyarrow.compute",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "scipy.fft",
    "scipy.linalg",
    "scipy.ndimage",
    "scipy.optimize",
    "scipy.signal",
    "scipy.sparse.linalg",
    "scipy.spatial",
    "scipy.special",
    "scipy.stats",
]

ALONE = """\
import importlib, sys
importlib.import_module(sys.argv[1])
mapped = {line.split(maxsplit=5)[5].strip() for line in open("/proc/self/maps") if ".so" in line}
strangers = sorted(path for path in mapped if not path.startswith("/nix/store/"))
sys.exit(f"maps libraries from outside the Nix store: {strangers}" if strangers else 0)
"""


def own_modules(package: Path) -> list[str]:
    """The modules of the harness; those that run on import are left out."""
    files = (path.relative_to(package.parent).with_suffix("") for path in package.rglob("*.py"))
    return [".".join(file.parts).removesuffix(".__init__") for file in files if file.name != "__main__"]


def foreign_modules() -> list[str]:
    """The top-level modules of every installed package but the harness, without private ones."""
    packages = importlib.metadata.packages_distributions()
    return [name for name in packages if name.isidentifier() and not name.startswith("_") and name != "harness"]


def complaint(module: str) -> str | None:
    """Why ``module`` can't be imported alone, or None."""
    command = [sys.executable, "-I", "-B", "-c", ALONE, module]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return f"{module}: {done.stderr.strip().splitlines()[-1:]}" if done.returncode else None


def main() -> None:
    """Import everything; list what was imported in ``OUT``."""
    site = Path(INPUTS["harness"], "lib/python3.11/site-packages/harness")
    modules = sorted({*own_modules(site), *foreign_modules(), *LATE})
    with ThreadPoolExecutor(2) as pool:
        complaints = [text for text in pool.map(complaint, modules) if text]
    if complaints:
        sys.exit("\n".join(complaints))
    OUT.write_text("\n".join(modules) + "\n")


main()
