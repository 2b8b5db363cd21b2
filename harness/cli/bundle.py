"""``harness bundle``: all that a machine without a network needs, in one file."""

import json
import os
from pathlib import Path

import click

from harness.cli.completing import Folder
from harness.cli.help import Command
from harness.cli.options import json_option

_PATH = click.Path(path_type=Path)


@click.command(
    cls=Command,
    examples={
        "Harness, sandbox and source": "harness bundle harness.tar",
        "With the installed data set": "harness bundle harness.tar --data",
        "One executable file, for nodes without /nix": "harness bundle --squashfs harness-node",
    },
)
@click.argument("file", metavar="FILE", type=_PATH)
@click.option("--source", metavar="DIR", type=Folder(), default=".", help="The source of this harness.  [default: .]")
@click.option("--pins", "with_pins", is_flag=True, help="Also the pinned files, to build everything again there.")
@click.option("--data", "with_data", is_flag=True, help="Also the installed data set, with its right answers.")
@click.option("--data-dir", "folder", envvar="HARNESS_DATA_DIR", metavar="DIR", help="Where data sets are.")
@click.option("--squashfs", is_flag=True, help="Instead: one executable file, for machines without /nix.")
@json_option
def command(
    file: Path, source: Path, folder: str | None, *, with_pins: bool, with_data: bool, squashfs: bool, as_json: bool
) -> int:
    """Write FILE, from which a machine with nothing but Nix and newuidmap gets this harness without a network.

    In it are the harness, the sandbox, and the source of both. Unpack it there and run its installer:

    \b
        tar -xf FILE && sh hermetic-harness/install

    With --squashfs, FILE holds no source and is a command itself, which needs neither Nix nor /nix:

    \b
        FILE eval babyvision --demo --limit 1 --run R

    The same contents give the same bytes.
    """
    if squashfs:
        if with_pins or with_data:
            raise click.UsageError("--squashfs takes neither --pins nor --data: it holds what runs, and nothing else.")
        return _image(file, as_json=as_json)
    from harness.run import bundling
    from harness.run.settings.datadir import data_dir
    from harness.store.bundle.bundling import bundle

    contents = bundling.gather(source, data_dir(folder, os.environ) if with_data else None, pins=with_pins)
    sizes = list(bundling.sizes(contents))
    for name, count, size in sizes:
        what = ("file" if name == "data" else "store path") + ("" if count == 1 else "s")
        click.echo(f"{name:<20}  {size / 2**20:>8,.1f} MiB in {count:,} {what}", err=True)
    done = bundle(contents, file.absolute(), lambda line: click.echo(line, err=True))
    if as_json:
        found = {
            "bundle": str(file),
            "new": done.new,
            "sha256": done.sha256,
            "bytes": done.size,
            "harness": contents.harness,
            "source": contents.source,
            "pins": contents.pins,
            "store_paths": len(contents.paths),
            "parts": {name: {"count": count, "bytes": size} for name, count, size in sizes},
        }
        click.echo(json.dumps(found, sort_keys=True))
    else:
        there = "" if done.new else ", which was there before"
        click.echo(f"{file}: {done.size / 2**20:,.1f} MiB{there}; sha256 {done.sha256}", err=True)
        click.echo(f"On the other machine: tar -xf {file.name} && sh hermetic-harness/install", err=True)
    return 0


def _image(file: Path, *, as_json: bool) -> int:
    from harness.run import imaging

    wanted = imaging.gather()
    click.echo(f"harness and sandbox   {wanted.size / 2**20:>8,.1f} MiB in {len(wanted.paths):,} store paths", err=True)
    done = imaging.write(wanted, file.absolute())
    if as_json:
        found = {"image": str(file), "new": done.new, "sha256": done.sha256, "bytes": done.size}
        found |= {"harness": wanted.harness, "store_paths": len(wanted.paths)}
        click.echo(json.dumps(found, sort_keys=True))
    else:
        there = "" if done.new else ", which was there before"
        click.echo(f"{file}: {done.size / 2**20:,.1f} MiB{there}; sha256 {done.sha256}", err=True)
        click.echo("On a node: FILE doctor; FILE eval babyvision --demo --limit 1 --run R", err=True)
    return 0
