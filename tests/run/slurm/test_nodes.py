"""Doctor on each node: what is asked for, and what becomes of what was said."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.run.slurm import nodes as of_nodes
from harness.run.slurm.knobs import Knobs
from harness.run.slurm.nodes import Node, away, examine, listed, read
from harness.run.slurm.script import Site

OK = {"name": "kernel", "state": "ok", "found": "Linux", "advice": ""}
SLOW = {"name": "cgroups", "state": "warning", "found": "version 1", "advice": "boot otherwise"}
BAD = {"name": "newuidmap", "state": "failed", "found": "not there", "advice": "apt-get install uidmap"}
HOST = {"cpus": 4, "memory": 8 << 30}
Fake = Callable[[str, str], dict[str, str]]


def node(name: str, *checks: dict[str, str]) -> Node:
    return read(name, json.dumps({"checks": list(checks), "host": HOST}), "")


def test_a_node_is_fit_where_no_check_failed() -> None:
    assert node("n1", OK, SLOW).fit
    assert not node("n1", OK, BAD).fit
    assert not Node("n1", trouble="down").fit


@pytest.mark.parametrize("out", ["", "no JSON", "[]", '{"checks": [{}]}', '{"checks": 1, "host": {}}'])
def test_what_is_no_report_is_trouble(out: str) -> None:
    found = read("n1", out, "first\nsrun: error: last\n")
    assert (found.fit, found.trouble) == (False, "srun: error: last")


@pytest.mark.parametrize(
    ("state", "gone"), [("idle", False), ("mixed", False), ("idle*", True), ("down", True), ("drained", True)]
)
def test_slurm_says_which_nodes_are_away(state: str, *, gone: bool) -> None:
    assert away(state) is gone


def test_each_node_is_a_job_of_its_own(site: Callable[..., Site]) -> None:
    words = of_nodes.command("n2", site(partition="gpu", sbatch=["--exclusive"]), ["doctor", "--json"], 60)
    assert words[0] == "srun"
    assert {"--nodelist=n2", "--immediate=60", "--partition=gpu", "--exclusive", "--export=NONE"} <= set(words)
    assert words[-1].endswith("exec /opt/harness doctor --json\n")


async def test_nodes_are_asked_by_srun_but_for_those_that_are_down(site: Callable[..., Site], command: Fake) -> None:
    told = json.dumps({"checks": [OK], "host": HOST})
    env = command("srun", f"case $1 in *n1) echo '{told}';; *) echo 'srun: error: busy' >&2; exit 1;; esac")
    nodes = [("n1", "idle"), ("n2", "allocated"), ("n3", "down*")]
    found = await examine(nodes, site(), ["doctor", "--json"], 1, env)
    assert [(one.name, one.fit) for one in found] == [("n1", True), ("n2", False), ("n3", False)]
    assert [one.trouble for one in found] == ["", "srun: error: busy", "Slurm says that it is down*"]


def test_the_list_is_slurms(command: Fake, tmp_path: Path) -> None:
    env = command("sinfo", f'echo "$@" > {tmp_path}/asked\nprintf "n2|idle\\nn1|down*\\nn2|idle\\n"')
    assert listed(Knobs(partition="gpu"), "n[1-2]", env) == [("n1", "down*"), ("n2", "idle")]
    assert (tmp_path / "asked").read_text().split()[-2:] == ["--nodes=n[1-2]", "--partition=gpu"]


async def test_a_srun_that_is_given_up_takes_its_job_back(
    site: Callable[..., Site], command: Fake, tmp_path: Path
) -> None:
    env = command("srun", f"trap '>{tmp_path}/taken-back; exit 1' TERM; >{tmp_path}/asked; while :; do sleep 0.1; done")
    asking = asyncio.create_task(examine([("n1", "idle")], site(), ["doctor"], 60, env))
    async with asyncio.timeout(30):
        while not (tmp_path / "asked").exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert (tmp_path / "taken-back").exists()


def test_what_a_sites_prologue_prints_is_no_trouble() -> None:
    assert read("n1", "modules loaded\n" + json.dumps({"checks": [OK], "host": HOST}) + "\n", "").fit
