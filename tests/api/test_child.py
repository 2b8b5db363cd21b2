"""Commands in a process of their own."""

import pytest

from harness.api import HarnessError, UsageError
from harness.api.child import command
from harness.run.reproduce import commands


def test_what_a_command_says_is_heard() -> None:
    heard: list[str] = []
    with pytest.raises(UsageError, match="no such"):
        command(["verify", "/none"], heard.append)
    assert heard != []


def test_a_command_without_an_object_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "run", lambda *_: (0, b"no JSON"))
    with pytest.raises(HarnessError, match="printed no JSON: b'no JSON'"):
        command(["verify", "R"])
