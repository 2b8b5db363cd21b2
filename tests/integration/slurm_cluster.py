"""A real Slurm on this machine for an ordinary user: munged, slurmctld and several slurmds that stand for nodes.

``HARNESS_SLURM=... python -m tests.integration.slurm_cluster FOLDER`` starts one, says what to set to use it, and ends
it at Ctrl-C. FOLDER is empty, on this machine's own disk, and has a short path. The standard library is enough.
"""

import contextlib
import getpass
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

# A requeued job waits until its credential has lapsed: 5 s is the least that slurmctld takes. A node that says nothing
# for 10 s is down.
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
PluginDir={slurm}/lib/plugins
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/ended
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=10
KillWait=5
SchedulerParameters=sched_interval=1,bf_interval=2,sched_min_interval=0,batch_sched_delay=0
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{ports}] CPUs=2 RealMemory=4000
PartitionName=main Nodes=ALL Default=YES State=UP MaxTime=INFINITE
"""


class Cluster:
    """A cluster of so many nodes; ``env`` is what Slurm's commands and the harness need to use it."""

    def __init__(self, slurm: Path, folder: Path, nodes: int) -> None:
        """``slurm``: as nix/slurm.nix builds it; ``folder``: empty, for all that the daemons write."""
        self.slurm = slurm.absolute()
        self.folder = folder.absolute()
        self.nodes = nodes
        self._started: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def env(self) -> dict[str, str]:
        return {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": f"{self.slurm}/bin:{os.environ['PATH']}"}

    def start(self) -> None:
        """Start all of it; raises RuntimeError where it doesn't come up."""
        (self.folder / "state").mkdir()
        folder, where = self.folder, self.folder / "munge.socket"
        self.command("mungekey", "--create", f"--keyfile={folder}/munge.key")
        files = {"key-file": "munge.key", "socket": where.name, "pid-file": "m.pid", "log-file": "m.log"}
        options = [f"--{option}={folder / name}" for option, name in files.items()]
        self._start("munged", "munged", "--foreground", *options, f"--seed-file={folder}/m.seed", "--num-threads=2")
        until(where.exists, "munged")
        port, *others = _free_ports(self.nodes + 1)
        (folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                host=socket.gethostname().partition(".")[0],
                user=getpass.getuser(),
                folder=folder,
                slurm=self.slurm,
                nodes=self.nodes,
                port=port,
                ports=",".join(map(str, others)),
            )
        )
        self._start("slurmctld", "slurmctld", "-D")
        for number in range(1, self.nodes + 1):
            self.start_node(f"n{number}")
        until(lambda: self._idle() == self.nodes, "the nodes")

    def start_node(self, name: str) -> None:
        """Start a node's daemon."""
        self._start(name, "slurmd", "-D", "-N", name, "-d", str(self.slurm / "bin/slurmstepd"))

    def kill_node(self, name: str) -> None:
        """A node's sudden death: its daemon, its jobs and all that they started are gone at once."""
        daemon = self._started.pop(name)
        doomed = set(_jobs_of(name))
        daemon.kill()
        daemon.wait()
        for pid in doomed:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def command(self, program: str, *words: str) -> str:
        """The output of one of Slurm's commands; CalledProcessError where it fails."""
        done = subprocess.run(
            [self.slurm / "bin" / program, *words], env=_bare() | self.env, check=True, capture_output=True, timeout=60
        )
        return done.stdout.decode()

    def stop(self) -> None:
        """End all jobs, then every daemon, by its process id."""
        with contextlib.suppress(subprocess.CalledProcessError, RuntimeError):
            self.command("scancel", f"--user={os.getuid()}")
            until(lambda: not self.command("squeue", "--noheader").strip(), "the queue's end", 20)
        for process in reversed(self._started.values()):
            process.terminate()
        for process in self._started.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._started.clear()

    def _idle(self) -> int:
        return sum(map(int, self.command("sinfo", "--noheader", "--states=idle", "--format=%D").split()))

    def _start(self, name: str, program: str, *words: str) -> None:
        with (self.folder / f"{name}.out").open("ab") as out:
            self._started[name] = subprocess.Popen(
                [self.slurm / "bin" / program, *words],
                env=_bare() | self.env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )


def until(holds: Callable[[], bool], what: str, seconds: float = 30) -> None:
    """Wait until something holds; RuntimeError where it takes too long."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: not within {seconds:g} s")
        time.sleep(0.1)


def _bare() -> dict[str, str]:
    """Daemons have nothing of a person's environment."""
    return {name: os.environ[name] for name in ("HOME", "USER", "LOGNAME") if name in os.environ}


def _free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now."""
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in held:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in held]


def _jobs_of(node: str) -> Iterator[int]:
    """The processes of a node's jobs, and the slurmstepds that look after them."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        with contextlib.suppress(OSError):
            if f"SLURMD_NODENAME={node}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                yield int(entry.name)
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if "slurmstepd" in Path(f"/proc/{parent}/comm").read_text():
                    yield parent


def main() -> None:
    """See the module's docstring."""
    cluster = Cluster(Path(os.environ["HARNESS_SLURM"]), Path(sys.argv[1]), nodes=4)
    try:
        cluster.start()
        for name, value in cluster.env.items():
            print(f"export {name}='{value}'", flush=True)
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        cluster.stop()


if __name__ == "__main__":
    main()
