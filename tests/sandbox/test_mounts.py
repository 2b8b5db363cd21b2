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


def test_the_file_system_of_a_path_is_the_deepest_mount_above_it() -> None:
    assert mounts.of(Path("/statefully/x"), MOUNTINFO).kind == "tmpfs"
    assert mounts.of(Path("/state/boxes"), MOUNTINFO).point == Path("/state")
    assert mounts.of(Path("/srv/x"), MOUNTINFO) == mounts.Mount(Path("/"), "ext4", frozenset({"rw"}))


def test_a_mount_of_somebody_else_at_an_odd_path_changes_nothing() -> None:
    odd = "35 21 0:30 / /media/\r\x85\u2028\x1c\udcfc rw - vfat /dev/sdb rw\n"
    assert mounts.below(Path("/state"), odd + MOUNTINFO) == mounts.below(Path("/state"), MOUNTINFO)
    assert mounts.of(Path("/media/\r\x85\u2028\x1c\udcfc/x"), odd + MOUNTINFO).kind == "vfat"


def test_in_a_chroot_the_root_may_stand_on_no_mount() -> None:
    found = mounts.of(Path("/var"), "22 1 0:5 / /proc rw - proc proc rw\n")
    assert found == mounts.Mount(Path("/"), "an unknown file system", frozenset())


def test_a_later_mount_covers_an_earlier_one() -> None:
    covered = MOUNTINFO + "35 34 0:30 / /state rw,nosuid,noexec master:1 - nfs4 server:/x rw\n"
    found = mounts.of(Path("/state"), covered)
    assert found == mounts.Mount(Path("/state"), "nfs4", frozenset({"rw", "nosuid", "noexec"}))
