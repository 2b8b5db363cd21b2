"""How large a run is: 5,000 rollouts over 388 images of 200 KB, in bytes and in files.

Not collected by default. Run it by name:

    nix run .#tests -- tests/speed/store_size.py -s

Bytes are those of the files; ``on disk`` is what the filesystem sets aside for them. What is there beyond the images
and the blobs that every run has once is the rollouts' own.
"""

import os
from collections import Counter
from pathlib import Path

from tests.synthetic import Shape, make

SHAPE = Shape(rollouts=5000, image_bytes=200_000)
GOAL = 10_000  # bytes for each rollout beyond unique images


def test_store_size(tmp_path: Path) -> None:
    run = make(tmp_path / "R", SHAPE)
    sizes, disk, files = Counter[str](), Counter[str](), Counter[str]()
    for folder, _, names in os.walk(run.layout.root):
        part = Path(folder).relative_to(run.layout.root).parts[:1] or (".",)
        files[part[0]] += len(names) + 1  # the folder has an inode too
        for name in names:
            status = Path(folder, name).lstat()
            sizes[part[0]] += status.st_size
            disk[part[0]] += status.st_blocks * 512
    images = [name for name in run.blobs if run.blobs.path(name).stat().st_size == SHAPE.image_bytes + 8]
    image_bytes = sum(run.blobs.path(name).stat().st_size for name in images)
    print()
    for part in sorted(sizes):
        print(f"{part:<14} {sizes[part]:>14,} bytes {disk[part]:>14,} on disk {files[part]:>8,} inodes")
    beyond = (sum(sizes.values()) - image_bytes) / SHAPE.rollouts
    print(f"{'all':<14} {sum(sizes.values()):>14,} bytes {sum(disk.values()):>14,} on disk {files.total():>8,} inodes")
    print(f"images: {len(images)}, {image_bytes:,} bytes; beyond them {beyond:,.0f} bytes for each rollout")
    assert len(images) == SHAPE.tasks
    assert beyond < GOAL
