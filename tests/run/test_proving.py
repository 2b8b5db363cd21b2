"""What a run asks of its sandboxes first, with the sandboxes left out."""

from typing import Any

import pytest

from harness.errors import EXIT_HOST, HostUnfitError, SandboxError
from harness.gateway import Model, Policy, Secret
from harness.run import proving
from harness.sandbox.selftest import Vector

PLAIN: dict[str, Any] = {"model": "m", "sampling": {}, "max_output": 1, "context": 2}


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The secrets that were searched for."""
    found: list[Any] = []

    async def quick(_: object, secrets: list[str]) -> tuple[Vector, ...]:
        found.append(secrets)
        return (Vector("chroot", "mounts", "held", "EPERM"),)

    monkeypatch.setattr(proving.selftest, "quick", quick)
    return found


async def test_the_policys_key_is_searched_for(searched: list[Any]) -> None:
    policy = Policy(**PLAIN, base_url="http://127.0.0.1:1/v1", api_key=Secret("sk-marked"))
    proof = await proving.prove(None, policy)  # type: ignore[arg-type]
    assert searched == [["sk-marked"]]
    vector = {"name": "chroot", "class": "mounts", "state": "held", "held": True, "detail": "EPERM"}
    assert proof.to_json() == {"milliseconds": proof.milliseconds, "vectors": [vector]}


@pytest.mark.parametrize("model", [Model(**PLAIN), Policy(**PLAIN, base_url="http://127.0.0.1:1/v1", api_key=None)])
async def test_where_there_is_no_key_there_is_none_to_be_found(searched: list[Any], model: Model) -> None:
    await proving.prove(None, model)  # type: ignore[arg-type]
    assert searched == [[]]


def test_a_sandbox_in_which_nothing_holds_is_no_endless_message() -> None:
    broken = tuple(Vector(f"v{number}", "dns", "broken", "connected") for number in range(12))
    with pytest.raises(HostUnfitError) as caught:
        proving.Proof(broken, 1).require()
    assert caught.value.exit_status == EXIT_HOST
    assert "v0 (dns): connected; v1 (dns): connected" in str(caught.value)
    assert "v9 (dns): connected; and 2 more." in str(caught.value)
    assert "harness doctor --sandbox" in str(caught.value)


async def test_a_host_on_which_no_sandbox_can_be_made_is_unfit(monkeypatch: pytest.MonkeyPatch) -> None:
    async def quick(*_: object) -> tuple[Vector, ...]:
        raise SandboxError("podman answered: no space left on device")

    monkeypatch.setattr(proving.selftest, "quick", quick)
    with pytest.raises(HostUnfitError, match="No sandbox could be made: podman answered: no space left") as caught:
        await proving.prove(None, Model(**PLAIN))  # type: ignore[arg-type]
    assert caught.value.exit_status == EXIT_HOST
