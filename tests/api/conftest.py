"""The words of a command that a call of the API would run."""

import pytest

from harness.run.reproduce import commands


@pytest.fixture
def argv(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words of the command that a call would run."""
    found: list[str] = []

    def run(words: list[str], *_: object) -> tuple[int, bytes]:
        found.extend(words)
        return 0, b"{}"

    monkeypatch.setattr(commands, "run", run)
    return found
