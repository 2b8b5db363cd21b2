"""The full self-test on this very machine, as ``harness doctor --sandbox`` runs it."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

pytestmark = pytest.mark.integration

MARKED = "sk-marked-0123456789abcdef"


async def test_nothing_is_broken_and_every_weakened_twin_is_detected(
    harness: Callable[..., Awaitable[Any]], environment: dict[str, str]
) -> None:
    environment["POLICY_API_KEY"] = MARKED
    done = await harness("doctor", "--sandbox", "--json")
    assert done.status == 0, done.summary
    vectors, twins = done.summary["vectors"], done.summary["twins"]
    assert len(vectors) >= 45
    assert [one for one in vectors if not one["held"]] == []
    assert [one for one in twins if not one["detected"]] == []
    assert {one["class"] for one in twins} == {one["class"] for one in vectors}
    # What no host lacks was really tried: it is not only absent.
    assert sum(one["state"] == "not supported here" for one in vectors) < len(vectors) / 5
    details = {one["name"]: one["detail"] for one in vectors}
    assert "none of 1 secrets" in details["secrets-environment"]
    assert MARKED not in str(done.summary) + done.said
