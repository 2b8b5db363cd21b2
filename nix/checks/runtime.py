"""The container runtime: each program runs, and loads libraries of the runtime only."""

import subprocess
import sys
from pathlib import Path

from job import INPUTS, OUT

RUNTIME = Path(INPUTS["runtime"])
VERSION_FLAGS = {
    "conmon": "--version",
    "ip": "-V",
    "nft": "--version",
    "nsenter": "--version",
    "podman": "--version",
    "runc": "--version",
    "unshare": "--version",
}


def version(program: str) -> str:
    """The first line that the program says about itself."""
    command: list[str | Path] = [RUNTIME / "bin" / program, VERSION_FLAGS[program]]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={})
    return done.stdout.splitlines()[0]


def libraries(program: str) -> list[str]:
    """Paths of the libraries that the loader finds for the program; the kernel's own one has no path."""
    loader = RUNTIME / "lib/ld-linux-x86-64.so.2"
    done = subprocess.run([loader, "--list", RUNTIME / "bin" / program], check=True, capture_output=True, text=True)
    words = [line.split() for line in done.stdout.splitlines() if "linux-vdso" not in line]
    return [line[2] if "=>" in line else line[0] for line in words]


def main() -> None:
    """Try every program; list versions and libraries in ``OUT``."""
    found = {path.name for path in (RUNTIME / "bin").iterdir()}
    if found != set(VERSION_FLAGS):
        sys.exit(f"The runtime holds {sorted(found)}, expected {sorted(VERSION_FLAGS)}.")
    report = []
    for program in sorted(found):
        used = libraries(program)
        strangers = [path for path in used if not path.startswith(f"{RUNTIME}/")]
        if strangers:
            sys.exit(f"{program} loads libraries from outside the runtime: {strangers}")
        report += [version(program), *(f"  {path}" for path in used)]
    for name in ("seccomp.json", "policy.json"):
        (RUNTIME / "share/containers" / name).read_bytes()
    OUT.write_text("\n".join(report) + "\n")


main()
