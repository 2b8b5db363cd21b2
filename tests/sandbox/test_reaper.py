"""Removing containers that podman doesn't let go of at once."""

from typing import Any, cast

import pytest

from harness.errors import SandboxError
from harness.sandbox import reaper
from harness.sandbox.service import Service

IMPROPER = SandboxError("podman refused: container state improper")


class Podman:
    """Answers with what it was given, in turn; the last one again and again."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def call(self, method: str, path: str, **_: Any) -> Any:
        self.asked.append(f"{method} {path}")
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, SandboxError):
            raise answer
        return answer


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaper, "REMOVAL_PAUSES", (0, 0))


def _service(podman: Podman) -> Service:
    return cast("Service", podman)


async def test_a_refusal_is_met_with_patience() -> None:
    podman = Podman(IMPROPER, [{"Id": "x", "Err": "busy"}], [{"Id": "x", "Err": None}])
    await reaper.remove(_service(podman), "x")
    assert podman.asked == ["DELETE /containers/x"] * 3


async def test_but_not_for_ever() -> None:
    with pytest.raises(SandboxError, match="improper"):
        await reaper.remove(_service(Podman(IMPROPER)), "x")


async def test_a_failure_in_the_report_is_one() -> None:
    with pytest.raises(SandboxError, match="busy"):
        await reaper.remove(_service(Podman([{"Id": "x", "Err": "busy"}])), "x")


async def test_what_is_known_stays() -> None:
    podman = Podman([{"Id": "1", "Names": ["mine"]}, {"Id": "2", "Names": ["lost"]}], [])
    assert await reaper.containers(_service(podman), "owner", {"mine"}) == ("lost",)
    assert podman.asked == ["GET /containers/json", "DELETE /containers/2"]
