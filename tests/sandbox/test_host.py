"""Real sandboxes: what they reach, what they leave, how they end."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.conftest import Entered, gone_within, tree

pytestmark = pytest.mark.integration
Enter = Callable[..., Entered]

#: Runs one stage, given as an expression.
ONE = """
async def main():
    async with host() as one:
        tell(await once(one, eval(sys.argv[1]), float(sys.argv[2])))
asyncio.run(main())
"""


def _run(enter: Enter, stage: str, timeout: float = 60) -> dict[str, Any]:
    result: dict[str, Any] = enter(ONE, stage, str(timeout)).result()
    return result


def _python(source: str, **options: str) -> str:
    return f"python({source!r}, {', '.join(f'{key}={value}' for key, value in options.items())})"


REACH = """
import socket, urllib.request
print(urllib.request.urlopen("http://169.254.1.1:18080/v1/models", timeout=5).read().decode())
for family, address, kind, port in [
    (socket.AF_INET, "192.0.2.1", socket.SOCK_STREAM, 443), (socket.AF_INET, "192.0.2.1", socket.SOCK_DGRAM, 53),
    (socket.AF_INET6, "2001:db8::1", socket.SOCK_STREAM, 80), (socket.AF_INET, "169.254.1.1", socket.SOCK_STREAM, 22),
    (socket.AF_INET, "127.0.0.1", socket.SOCK_STREAM, 22),
]:
    with socket.socket(family, kind) as one:
        one.settimeout(5)
        try:
            one.connect((address, port))
            one.send(b"x")
            print("reached", address, port)
        except OSError as error:
            print("refused", address, port)
"""


def test_the_listener_is_all_that_a_sandbox_reaches(enter: Enter) -> None:
    """Each attempt is counted and named; the loopback is the sandbox's own, so it is no attempt."""
    found = _run(enter, _python(REACH))
    assert found["outputs"]["out.txt"].splitlines() == [
        "hi",
        "refused 192.0.2.1 443",
        "refused 192.0.2.1 53",
        "refused 2001:db8::1 80",
        "refused 169.254.1.1 22",
        "refused 127.0.0.1 22",
    ]
    assert found["allowed"] > 0
    assert found["denied"] == 4
    assert [(one["address"], one["protocol"], one["port"], one["packets"]) for one in found["destinations"]] == [
        ("169.254.1.1", "tcp", 22, 1),
        ("192.0.2.1", "tcp", 443, 1),
        ("192.0.2.1", "udp", 53, 1),
        ("2001:db8::1", "tcp", 80, 1),
    ]
    assert found["truncated"] is False


LISTED = """
async def main():
    async with host() as one:
        file = one.state.folder / "home/.config/containers/mounts.conf"
        file.parent.mkdir(parents=True)
        file.write_text(f"{one.state.folder}/conf:/run/secrets\\n")
        tell(await once(one, shell("ls /run"), 30))
asyncio.run(main())
"""


def test_what_a_list_of_the_host_gives_to_every_container_no_sandbox_gets(enter: Enter) -> None:
    """Some distributions have one, /usr/share/containers/mounts.conf, by which the host's secrets go in."""
    assert enter(LISTED).result()["outputs"]["out.txt"] == ""


WATCHERS = """
import ctypes
libc, made = ctypes.CDLL(None), 0
while made < 100 and libc.inotify_init1(0) >= 0:
    made += 1
print(made)
"""


def test_one_sandbox_can_not_take_all_watchers_of_files(enter: Enter) -> None:
    """The kernel counts them for the user who runs the harness: 128 for all that he runs."""
    assert _run(enter, _python(WATCHERS))["outputs"]["out.txt"] == "16\n"


def test_a_silent_sandbox_counts_nothing(enter: Enter) -> None:
    found = _run(enter, "shell('true')")
    assert (found["how"], found["exit_code"], found["allowed"], found["denied"]) == ("exited", 0, 0, 0)


MANY = """
import socket
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for port in range(1, 1500):
    try:
        one.sendto(b"x", ("192.0.2.1", port))
    except OSError:
        pass
"""


def test_more_destinations_than_are_kept(enter: Enter) -> None:
    found = _run(enter, _python(MANY))
    assert found["denied"] == 1499
    assert len(found["destinations"]) == 1024
    assert found["truncated"] is True


def test_the_exit_status_is_the_commands(enter: Enter) -> None:
    found = _run(enter, "shell('exit 42')")
    assert (found["how"], found["exit_code"]) == ("exited", 42)


ESCAPE = """
import ctypes, socket
libc = ctypes.CDLL(None, use_errno=True)
status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
print(status["CapEff"], status["CapBnd"], status["NoNewPrivs"], status["Seccomp"], status["Uid"].split()[0])
for name, number in [("unshare", 272), ("clone", 56)]:
    print(name, libc.syscall(number, 0x10000000, 0, 0, 0, 0))
for name, number in [("mount", 165), ("io_uring_setup", 425), ("ptrace", 101), ("keyctl", 250), ("memfd_create", 319)]:
    print(name, libc.syscall(number, 0, 0, 0, 0, 0))
for family, kind, protocol in [(40, 1, 0), (17, 3, 0), (2, 3, 1), (2, 1, 132)]:
    try:
        socket.socket(family, kind, protocol)
        print("socket", family)
    except OSError:
        pass
for path in "/x /task/x /task/in/x /task/out/x /usr/x /etc/hosts /run/x /proc/sys/kernel/hostname".split():
    try:
        open(path, "w")
        print("wrote", path)
    except OSError:
        pass
print(open("/etc/hosts").read() == "127.0.0.1 localhost\\n::1 localhost\\n" or open("/etc/hosts").read())
print(socket.gethostname())
"""


def test_a_sandbox_has_no_privilege_to_start_from(enter: Enter) -> None:
    found = _run(enter, _python(ESCAPE))
    none = "0000000000000000"
    assert found["outputs"]["out.txt"].splitlines() == [
        f"{none} {none} 1 2 1000",
        *("unshare -1", "clone -1", "mount -1", "io_uring_setup -1", "ptrace -1", "keyctl -1", "memfd_create -1"),
        *("True", "sandbox"),
    ]


UNSEEN = """
import ctypes, mmap, multiprocessing, os
zero = os.open("/dev/zero", os.O_RDWR)
print(os.read(zero, 3))
for name, file in [("anonymous", -1), ("zero", zero)]:
    try:
        mmap.mmap(file, 4096)
        print("shared", name)
    except OSError:
        pass
print(len(mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)), multiprocessing.Value("i", 5).value)
for number in (29, 68, 64, 319, 447):
    print(ctypes.CDLL(None).syscall(number, 0, 4096, 0o1600))
"""


def test_no_memory_that_is_kept_where_no_process_has_it(enter: Enter) -> None:
    """Neither shared without a file, nor of /dev/zero, nor System V's, nor a message queue's or semaphores', nor a
    memfd's."""
    found = _run(enter, _python(UNSEEN))
    assert found["outputs"]["out.txt"].splitlines() == ["b'\\x00\\x00\\x00'", "4096 5", *["-1"] * 5]


def test_files_go_in_and_come_out(enter: Enter) -> None:
    stage = """shell('cat /task/in/a/b.txt; cp /task/in/c.bin /task/out/copy.bin',
        files={'a/b.txt': b'hello', 'c.bin': bytes(range(256))}, outputs={'out.txt': 100, 'copy.bin': 5000})"""
    found = _run(enter, stage)
    assert found["outputs"]["out.txt"] == "hello"
    assert found["outputs"]["copy.bin"] == bytes(range(256)).decode(errors="replace")


HOSTILE = """
import os
out = "/task/out/"
os.truncate(out + "sparse", 1 << 24)
with open(out + "full", "wb", buffering=0) as file:
    try:
        while True:
            file.write(b"y" * 65536)
    except OSError as error:
        print(error.errno)
os.chmod(out + "closed", 0)
for act in (
    lambda: os.unlink(out + "full"), lambda: os.symlink("/etc/passwd", out + "new"),
    lambda: os.link(out + "full", "/tmp/x"), lambda: os.rename("/workspace", "/task/in"),
):
    try:
        act()
        print("done")
    except OSError:
        pass
"""


def test_outputs_are_bounded_each_by_itself(enter: Enter) -> None:
    """Neither a full, nor a sparse, nor a closed file keeps the others from being read."""
    sizes = {"out.txt": 100, "full": 10_000, "sparse": 300, "closed": 10}
    found = _run(enter, _python(HOSTILE, outputs=repr(sizes)))
    assert found["outputs"]["out.txt"] == "28\n"
    assert {name: len(text) for name, text in found["outputs"].items()} == {**sizes, "out.txt": 3, "closed": 0}


def test_writable_folders_are_bounded_in_bytes_and_in_files(enter: Enter) -> None:
    source = """
import errno
def fill(folder, size):
    try:
        for number in range(1000):
            with open(f"{folder}/{number}", "wb") as file:
                file.write(b"z" * size)
    except OSError as error:
        print(folder, errno.errorcode[error.errno])
fill("/workspace", 1 << 20)
fill("/tmp", 0)
"""
    found = _run(enter, _python(source))
    assert found["outputs"]["out.txt"].splitlines() == ["/workspace ENOSPC", "/tmp ENOSPC"]
    assert found["full"] == ["/tmp", "/workspace"]


def test_a_time_out_kills_everything_in_the_sandbox(enter: Enter) -> None:
    """Also what has left its session, became a daemon and ignores signals; that nothing lives is seen and recorded."""
    source = """
import os, signal, subprocess, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
subprocess.Popen(["sleep", "1000"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(0)
print("up", flush=True)
time.sleep(1000)
"""
    began = time.monotonic()
    found = _run(enter, _python(source), timeout=1.5)
    assert (found["how"], found["exit_code"]) == ("timed-out", None)
    assert 1.5 <= found["seconds"] < 4
    assert found["outputs"]["out.txt"] == "up\n"
    assert found["dead"] == ["init", "ids"] + ["cgroup"] * (found["limits"]["memory"] == "cgroup")
    assert time.monotonic() - began < 30


SURVIVES = """
from harness.sandbox import lifeline
lifeline.KILL_SECONDS = 0.5
lifeline.signal.pidfd_send_signal = lambda *_: None  # as if the kernel could not end it
async def main():
    async with host() as one:
        try:
            async with one.sandbox(shell("sleep 1000")) as box:
                try:
                    await box.run(0.5)
                finally:
                    try:
                        await box.evidence()
                    except SandboxError as error:
                        tell(str(error))
        except HostUnfitError as error:
            tell([str(error), error.exit_status, len(processes.of_ids(1, None)) > 0])
asyncio.run(main())
"""


def test_what_can_not_be_killed_is_the_hosts_failure_and_nothing_is_read(enter: Enter) -> None:
    """It is not masked and tried again: the error goes through to the top, whatever podman says of the removal."""
    one = enter(SURVIVES)
    assert "when nothing in it lives" in one.line()
    text, status, lives = one.line()
    assert "of a sandbox outlived SIGKILL" in text
    assert (status, lives) == (4, True)
    assert one.status(30) == 0


def test_the_watchdog_ends_a_sandbox_that_takes_too_much_memory(enter: Enter) -> None:
    """Several processes, none of which is above the limit by itself."""
    source = """
import subprocess, sys, time
eat = "import time; x = b'm' * (100 << 20); time.sleep(60)"
for _ in range(4):
    subprocess.Popen([sys.executable, "-c", eat])
time.sleep(60)
"""
    found = _run(enter, _python(source))
    assert (found["how"], found["exit_code"]) == ("out-of-memory", None)
    assert found["peak_rss"] > 256 << 20
    assert found["limits"]["memory"] in ("watchdog", "cgroup")


def test_memory_that_processes_share_is_counted_once(enter: Enter) -> None:
    source = """
import os, time
x = b"s" * (150 << 20)
for _ in range(3):
    if os.fork() == 0:
        time.sleep(1.5)
        os._exit(0)
for _ in range(3):
    os.wait()
"""
    found = _run(enter, _python(source))
    assert (found["how"], found["exit_code"]) == ("exited", 0)


def test_the_number_of_processes_is_bounded(enter: Enter) -> None:
    source = """
import os, time
made = 0
try:
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(60)
        made += 1
except BlockingIOError:
    print("bounded", 10 < made < 40)
"""
    found = _run(enter, _python(source, limits="attrs.evolve(SMALL, pids=40)"))
    assert found["outputs"]["out.txt"] == "bounded True\n"


STOP = """
async def main():
    stop = asyncio.Event()
    async with host() as one, one.sandbox(shell("sleep 1000")) as box:
        asyncio.get_running_loop().call_later(0.5, stop.set)
        ended = await box.run(60, stop)
        tell([ended.how, ended.exit_code, ended.seconds < 5])
asyncio.run(main())
"""


def test_a_stop_ends_it_at_once(enter: Enter) -> None:
    assert enter(STOP).result() == ["stopped", None, True]


CANCEL = """
async def attempt(one):
    async with one.sandbox(shell("sleep 1000")) as box:
        await box.run(60)
async def main():
    async with host() as one:
        for delay in [0, 0.003, 0.01, 0.03, 0.06, 0.1, 0.15, 0.25, 0.5, 1]:
            task = asyncio.create_task(attempt(one))
            await asyncio.sleep(delay)
            for _ in range(2):
                task.cancel()
                await asyncio.sleep(0.01)
            try:
                await task
            except asyncio.CancelledError:
                pass
            mounts = Path("/proc/self/mountinfo").read_text().count("/boxes/")
            containers = await one._shared.service.call("GET", "/containers/json", params={"all": "true"})
            boxes = list(one._state.boxes.iterdir())
            tell([task.cancelled(), mounts, containers, boxes, processes.of_ids(1, None)])
asyncio.run(main())
"""


def test_an_attempt_that_is_cancelled_at_any_moment_leaves_nothing(enter: Enter) -> None:
    """Nor does one that is cancelled again while it is being removed."""
    one = enter(CANCEL)
    for _ in range(10):
        assert one.line() == [True, 0, [], [], []]
    assert one.status() == 0


SIDE_BY_SIDE = """
async def main():
    async with host() as one, host() as other:
        line = "cut -c1-30 /proc/self/uid_map; ls /proc | grep -c '^[0-9]'; sleep 1"
        found = await asyncio.gather(*(once(which, shell(line)) for which in (one, other) for _ in range(3)))
        tell([result["outputs"]["out.txt"].split() for result in found])
asyncio.run(main())
"""


def test_two_hosts_side_by_side_have_disjoint_slots(enter: Enter) -> None:
    """Six sandboxes at once, three each of two processes' worth; none sees another's processes."""
    found = enter(SIDE_BY_SIDE).result()
    assert len({fields[1] for fields in found}) == 6
    assert all(int(fields[3]) <= 4 for fields in found)


HOLD = """
async def main():
    async with host() as one, one.sandbox(shell("sleep 1000 & sleep 1000")) as box:
        task = asyncio.create_task(box.run(60))
        await asyncio.sleep(1)
        tell({"swept": one.swept, "state": str(one._state.folder)})
        await task
asyncio.run(main())
"""


def test_slots_of_another_process_are_not_taken(enter: Enter) -> None:
    first = enter(HOLD)
    first.line()
    second = _run(enter, "shell('cat /proc/self/uid_map')")
    assert second["outputs"]["out.txt"].split()[1] != "1"


def test_killed_in_mid_run_nothing_is_left_but_a_folder_that_the_next_start_sweeps(enter: Enter) -> None:
    one = enter(HOLD)
    state = Path(one.line()["state"])
    everyone = tree(one.pid)
    commands = [Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ") for pid in everyone]
    for expected in (b"podman system service", b"conmon", b"sleep 1000"):
        assert any(expected in command for command in commands), (expected, commands)

    os.kill(one.pid, signal.SIGKILL)
    assert gone_within(everyone, 2) == []
    assert str(state) not in Path("/proc/mounts").read_text()
    assert state.is_dir()

    second = enter(HOLD)
    assert second.line()["swept"] == [state.name]
    assert not state.exists()


def test_the_living_are_not_swept(enter: Enter) -> None:
    first = enter(HOLD)
    state = Path(first.line()["state"])
    assert enter(HOLD).line()["swept"] == []
    assert state.is_dir()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_ordinary_end_leaves_not_even_a_folder(enter: Enter, number: signal.Signals) -> None:
    source = HOLD.replace("asyncio.run(main())", STOPPABLE)
    one = enter(source)
    state = Path(one.line()["state"])
    os.kill(one.pid, number)
    assert one.status() == 130
    assert not state.exists()


STOPPABLE = """
async def stoppable():
    task = asyncio.current_task()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    await main()
try:
    asyncio.run(stoppable())
except asyncio.CancelledError:
    sys.exit(130)
"""

SERVICE_DIES = """
async def main():
    async with host() as one:
        async with one.sandbox(shell("sleep 2; echo alive")) as box:
            task = asyncio.create_task(box.run(60))
            await asyncio.sleep(0.5)
            # A container whose creation was never answered.
            lost = {"name": "lost", "rootfs": str(one._runtime.root), "rootfs_overlay": True, "command": ["true"],
                "labels": {"harness.owner": one._state.name}, "netns": {"nsmode": "none"}}
            await one._shared.service.call("POST", "/containers/create", body=lost)
            one._shared.service._process.kill()
            ended = await task
            evidence = await box.evidence()
            listed = await one._shared.service.call("GET", "/containers/json", params={"all": "true"})
            alone = [one["Names"] for one in listed] == [[box.name]]
            tell([ended.how, ended.exit_code, evidence.outputs["out.txt"].decode(), alone])
        tell((await once(one, shell("echo next")))["outputs"]["out.txt"])
        one._shared.service._process.kill()
        try:
            await once(one, shell("true"))
        except SandboxError as error:
            tell(str(error))
asyncio.run(main())
"""


def test_the_podman_service_may_die_once(enter: Enter) -> None:
    """The sandbox lives on and its end is seen; what nobody knows of is removed. A second death is an error."""
    one = enter(SERVICE_DIES)
    assert one.line() == ["exited", 0, "alive\n", True]
    assert one.line() == "next\n"
    assert "died" in one.line()


def test_a_command_that_does_not_exist_is_the_sandboxs_failure(enter: Enter) -> None:
    source = """
async def main():
    async with host() as one:
        try:
            await once(one, attrs.evolve(shell(""), command=("/no/such/program",)))
        except SandboxError as error:
            tell(str(error))
asyncio.run(main())
"""
    assert "/no/such/program" in enter(source).result()


def test_outside_the_namespace_there_are_no_sandboxes(tmp_path: Path) -> None:
    import asyncio

    from harness.errors import HostUnfitError
    from harness.sandbox.host import Host
    from harness.sandbox.runtime import Runtime

    async def start() -> None:
        async with Host(Runtime(tmp_path, tmp_path), {"HARNESS_STATE_DIR": str(tmp_path)}):
            pass

    with pytest.raises(HostUnfitError, match="inside"):
        asyncio.run(start())


def test_without_a_packet_filter_the_host_is_unfit(enter: Enter) -> None:
    """A kernel without nf_tables, played by a program that says what nft would."""
    source = """
import shutil, tempfile
from harness.sandbox.runtime import Runtime
real = runtime.find(os.environ)
fake = Path(tempfile.mkdtemp(dir=os.environ["HARNESS_STATE_DIR"]))
shutil.copytree(real.folder, fake / "r", symlinks=True)
(fake / "r").chmod(0o755)
(fake / "r/bin").chmod(0o755)
(fake / "r/bin/nft").unlink()
(fake / "r/bin/nft").write_text("#!" + sys.executable + " -IS\\nimport sys; sys.exit('Operation not supported')\\n")
(fake / "r/bin/nft").chmod(0o755)
async def main():
    try:
        async with Host(Runtime(fake / "r", real.rootfs)):
            tell("fit")
    except HostUnfitError as error:
        left = [path.name for path in Path(os.environ["HARNESS_STATE_DIR"]).glob("*/p*")]
        tell([str(error), error.exit_status, left])
asyncio.run(main())
"""
    text, status, left = enter(source).result()
    assert "nf_tables" in text
    assert "Operation not supported" in text
    assert (status, left) == (4, [])
