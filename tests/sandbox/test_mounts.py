"""Finding the mounts under a folder."""

from pathlib import Path

from harness.sandbox import mounts

MOUNTINFO = r"""21 1 254:0 / / rw - ext4 /dev/vda rw
30 21 0:25 / /state/boxes/a rw - tmpfs tmpfs rw
31 30 0:26 / /state/boxes/a/deep rw - tmpfs tmpfs rw
32 21 0:27 / /state/boxes/a\040b rw - tmpfs tmpfs rw
33 21 0:28 / /statefully rw - tmpfs tmpfs rw
34 21 0:29 / /state rw - tmpfs tmpfs rw
"""


def test_the_newest_first_and_only_what_is_below() -> None:
    assert mounts.below(Path("/state"), MOUNTINFO) == (
        Path("/state/boxes/a b"),
        Path("/state/boxes/a/deep"),
        Path("/state/boxes/a"),
    )
