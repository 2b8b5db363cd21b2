"""The table of what doctor found on the nodes of a cluster."""

from harness.report.nodes import table
from harness.run.slurm.nodes import Node

SLOW = {"name": "cgroups", "state": "warning", "found": "version 1", "advice": "boot otherwise"}
BAD = {"name": "newuidmap", "state": "failed", "found": "not there", "advice": "apt-get install uidmap"}
HOST = {"cpus": 4, "memory": 8 << 30}


def test_one_table_names_each_finding_once() -> None:
    nodes = [
        Node("n1", (SLOW,), HOST),
        Node("n2", (SLOW, BAD), HOST),
        Node("n3", trouble="Slurm says that it is down\x1b[2J"),
    ]
    lines = list(table(nodes))
    assert [line.split()[:2] for line in lines[1:4]] == [["n1", "yes"], ["n2", "NO"], ["n3", "NO"]]
    assert lines[1].split() == ["n1", "yes", "4", "8192", "0", "1"]
    text = "\n".join(lines)
    assert "failed   n2: newuidmap: not there\n         -> apt-get install uidmap" in text
    assert "warning  n1,n2: cgroups: version 1\n         -> boot otherwise" in text
    assert "n3: doctor: Slurm says that it is down\\x1b[2J" in text
    assert lines[-1] == "1 of 3 nodes are fit"
