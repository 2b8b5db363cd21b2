from syrupy.assertion import SnapshotAssertion

from harness.agents.opencode.config import config
from harness.agents.opencode.environment import environment


def test_config(snapshot: SnapshotAssertion) -> None:
    assert config(alias="vlm", context=32768, max_output=4096, address="169.254.1.1:18080") == snapshot


def test_environment(snapshot: SnapshotAssertion) -> None:
    assert environment("/task/in/opencode.json", max_output=4096, threads=2) == snapshot


def test_a_chosen_wire_id_leaves_the_key_alone() -> None:
    provider = config(alias="gpt-like", context=1, max_output=1, address="a:1")["provider"]
    assert isinstance(provider, dict)
    models = provider["local"]["models"]
    assert list(models) == ["vlm"]
    assert models["vlm"]["id"] == "gpt-like"
