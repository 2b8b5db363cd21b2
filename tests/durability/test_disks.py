"""A disk that is too small, gets full, or turns read-only under a run: a clear end, nothing torn, and the run goes on.

The disk is a tmpfs of its own inside the harness's namespace, so that its size can be changed while the run goes on.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sandbox.conftest import Entered

pytestmark = pytest.mark.integration

INNER = """
import ctypes, subprocess
from harness.sandbox import mounts
from harness.store.runfolder import RunFolder
from harness.store.verify import verify

DISK = Path(sys.argv[1])
RUN = DISK / "R"
GIB = 1 << 30
MS_RDONLY, MS_REMOUNT = 1, 32
libc = ctypes.CDLL(None, use_errno=True)
command = [sys.executable, "-I", "-m", "harness.cli", "eval", "babyvision", "--demo", "--tasks", "1,2"]
command += ["--run", str(RUN)]

def change(size, flags=0):
    deadline = time.monotonic() + 60
    while libc.mount(None, os.fsencode(DISK), None, MS_REMOUNT | 6 | flags, f"size={size}".encode()) != 0:
        assert time.monotonic() < deadline, os.strerror(ctypes.get_errno())  # busy: just now a file is being written
        time.sleep(0.01)

def full():
    room = os.statvfs(DISK)
    change((room.f_blocks - room.f_bfree) * room.f_frsize)

def start(met=lambda: False, act=lambda: None):
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not met():
            time.sleep(0.05)
        act()
        said = process.stderr.read()
    problems = verify(RunFolder.open(RUN)) if RUN.exists() else []
    hidden = [path.name for path in RUN.rglob(".*")]
    return {"status": process.returncode, "said": said, "problems": problems + hidden, "there": RUN.exists()}

def starts():
    return len(list(RUN.glob("observed/*")))

mounts.tmpfs(DISK, 1 << 20, 10000, mode=0o755)
small = start()
change(4 * GIB)
filled = start((RUN / "done/1/0").exists, full)
change(4 * GIB)
begun = starts()
closed = start(lambda: starts() > begun, lambda: change(4 * GIB, MS_RDONLY))
change(4 * GIB)
well = start()
run = RunFolder.open(RUN)
print(json.dumps({
    "small": small, "filled": filled, "closed": closed, "well": well,
    "attempts": {done.task: len(run.attempts(done.task, 0)) for done in run.dones()},
}))
"""


def test_a_disk_in_trouble_ends_the_run_and_the_same_command_goes_on(
    enter: Callable[..., Entered], tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    found = enter(INNER, str(disk)).result(timeout=500)

    small, filled, closed, well = (found[name] for name in ("small", "filled", "closed", "well"))
    assert (small["status"], small["there"]) == (4, False), small["said"]
    assert "MiB are needed" in small["said"]

    assert filled["status"] == 4, filled["said"]
    assert f"No space to write {disk}/R/" in filled["said"]
    assert "run the same command again" in filled["said"]

    assert closed["status"] == 1, closed["said"]
    assert f"May not write {disk}/R/" in closed["said"]
    assert "Traceback" not in small["said"] + filled["said"] + closed["said"]

    assert well["status"] == 0, well["said"]
    assert [end["problems"] for end in (filled, closed, well)] == [[], [], []]
    assert found["attempts"] == {"1": 1, "2": 1}
