"""Finding a sandbox's processes in /proc."""

from pathlib import Path

import pytest

from harness.sandbox import processes


def _status(uid: int, rss: int | None, state: str = "S (sleeping)") -> str:
    size = "" if rss is None else f"VmPeak:\t  9999 kB\nVmRSS:\t    {rss} kB\n"
    return f"Name:\tpython3\nState:\t{state}\nUid:\t{uid}\t0\t0\t0\nGid:\t0\t0\t0\t0\n{size}Threads:\t1\n"


def _proc(folder: Path, **statuses: str) -> Path:
    for name, text in statuses.items():
        (folder / name[1:]).mkdir()
        (folder / name[1:] / "status").write_text(text)
    (folder / "self").mkdir()
    (folder / "99").mkdir()  # ended between the listing and the look
    return folder


def test_by_real_uid_within_the_slot(tmp_path: Path) -> None:
    proc = _proc(tmp_path, p1=_status(2000, 1), p2=_status(2001, 7), p3=_status(4000, 8), p4=_status(4001, 9))
    found = sorted(processes.of_ids(2001, 2000, proc), key=lambda one: one.pid)
    assert found == [processes.Process(2, 2001, 7 * 1024), processes.Process(3, 4000, 8 * 1024)]


def test_a_zombie_is_dead() -> None:
    assert processes.parse_status(5, _status(2001, None, "Z (zombie)")) is None


def test_a_process_whose_first_thread_has_ended_lives_and_its_memory_counts(tmp_path: Path) -> None:
    proc = _proc(tmp_path, p5=_status(2001, None, "Z (zombie)").replace("Threads:\t1", "Threads:\t2"))
    for name, text in (("5", _status(2001, None, "Z (zombie)")), ("6", _status(2001, 9).replace("ds:\t1", "ds:\t2"))):
        (proc / "5/task" / name).mkdir(parents=True)
        (proc / "5/task" / name / "status").write_text(text)
    assert processes.of_ids(2001, 1, proc) == (processes.Process(5, 2001, 9 * 1024),)


def test_a_name_that_is_no_text_hides_nothing(tmp_path: Path) -> None:
    proc = _proc(tmp_path, p5="")
    (proc / "5/status").write_bytes(_status(2001, 7).encode().replace(b"python3", b"\xff\xfe"))
    assert processes.of_ids(2001, 1, proc) == (processes.Process(5, 2001, 7 * 1024),)


def test_a_name_can_not_pass_for_a_field() -> None:
    status = _status(2001, None).replace("python3", "\x0bVmRSS:\tx\x1cy")
    assert processes.parse_status(5, status) == processes.Process(5, 2001, 0)


@pytest.mark.parametrize("name", [b"\rVmRSS:\tx", b"\rVmRSS:\t0 kB", b"\rUid:\t0", b"\rState:\tX"])
def test_a_name_can_not_pass_for_a_line_where_the_first_thread_has_ended(tmp_path: Path, name: bytes) -> None:
    def named(status: str) -> bytes:
        return status.replace("Threads:\t1", "Threads:\t2").encode().replace(b"python3", name)

    proc = _proc(tmp_path, p5="")
    (proc / "5/status").write_bytes(named(_status(2001, None, "Z (zombie)")))
    for thread, text in (("5", _status(2001, None, "Z (zombie)")), ("6", _status(2001, 9))):
        (proc / "5/task" / thread).mkdir(parents=True)
        (proc / "5/task" / thread / "status").write_bytes(named(text))
    assert processes.of_ids(2001, 1, proc) == (processes.Process(5, 2001, 9 * 1024),)


def test_a_process_that_has_given_up_its_memory() -> None:
    assert processes.parse_status(5, _status(2001, None)) == processes.Process(5, 2001, 0)


def test_page_tables_and_what_is_swapped_out_count() -> None:
    status = _status(2001, 7) + "VmPTE:\t    5 kB\nVmSwap:\t    2 kB\n"
    assert processes.parse_status(5, status) == processes.Process(5, 2001, 9 * 1024, 5 * 1024)


def test_proportional_size(tmp_path: Path) -> None:
    (tmp_path / "5/task/5").mkdir(parents=True)
    (tmp_path / "5/task/6").mkdir()
    (tmp_path / "5/task/5/smaps_rollup").write_text("")  # the first thread has ended
    (tmp_path / "5/task/6/smaps_rollup").write_text(
        "00400000-7ff ---p 0 [rollup]\nRss:  100 kB\nPss:   60 kB\nPss_Anon:  50 kB\nSwap:  9 kB\nSwapPss:  4 kB\n"
    )
    assert processes.proportional(5, tmp_path) == 64 * 1024
    assert processes.proportional(7, tmp_path) == 0
