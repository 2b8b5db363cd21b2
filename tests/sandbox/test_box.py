"""What podman says of a container that has just ended."""

from typing import Any

import pytest

from harness.errors import SandboxError
from harness.sandbox import box

ENDED = {"State": {"Status": "exited", "ExitCode": 3}}
RUNNING = {"State": {"Status": "running", "ExitCode": 0}}
GONE = {"message": "read /proc/58/cgroup: no such process", "response": 500}


class Service:
    """Podman's, which gives these answers; the last one again and again."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self._answers = list(answers)

    async def call(self, method: str, path: str, *, accept: tuple[int, ...]) -> dict[str, Any]:
        assert (method, path, accept) == ("GET", "/containers/c/json", (500,))
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


async def test_it_is_asked_until_it_has_heard_of_the_end() -> None:
    service: Any = Service(RUNNING, GONE, ENDED)
    assert await box.final_state(service, "c") == ENDED["State"]


@pytest.mark.parametrize(("answer", "words"), [(RUNNING, "in 0 s$"), (GONE, "no such process")])
async def test_an_end_that_it_never_hears_of_is_an_error(
    monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any], words: str
) -> None:
    monkeypatch.setattr(box, "STATUS_SECONDS", 0.0)
    service: Any = Service(answer)
    with pytest.raises(SandboxError, match=words):
        await box.final_state(service, "c")
