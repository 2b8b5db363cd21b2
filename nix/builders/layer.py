"""Virtual environments that are laid over others: each adds its own packages and can import those below."""

from pathlib import Path

SITE = "lib/python3.11/site-packages"


def make_environment(place: Path, python: Path, below: list[Path]) -> Path:
    """Make an empty environment in ``place`` over the environments ``below``; returns its packages' folder."""
    site, programs = place / SITE, place / "bin"
    site.mkdir(parents=True)
    programs.mkdir()
    (place / "pyvenv.cfg").write_text(f"home = {python}/bin\ninclude-system-site-packages = false\n")
    for alias in ("python3", "python", "python3.11"):
        (programs / alias).symlink_to(python / "bin/python3.11")
    if below:
        (site / "below.pth").write_text("".join(f"{environment / SITE}\n" for environment in below))
    return site
