import pytest

import harness.gateway


@pytest.mark.parametrize("name", harness.gateway.__all__)
def test_what_is_promised_is_there(name: str) -> None:
    assert hasattr(harness.gateway, name)


def test_the_contract_is_promised() -> None:
    promised = {
        "serve",
        "Talk",
        "Call",
        "Chain",
        "Witness",
        "Policy",
        "Secret",
        "Opening",
        "GatewaySettings",
        "Refusal",
    }
    assert promised <= set(harness.gateway.__all__)
