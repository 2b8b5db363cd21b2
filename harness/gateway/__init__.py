"""The one endpoint that a sandbox reaches: an allow-list, not a proxy.

`serve` answers on a sandbox's listener and gives a `Talk`; what the model said is `Talk.chain`, whatever else the
sandbox sent. The answers come from a `Source`: a model's endpoint (`connected`) or a record (`Recorded`).
"""

from harness.gateway.answer import Answer, Usage
from harness.gateway.asking import connected
from harness.gateway.chain import DISAGREES, FORK, OFF_CHAIN, SHOWS_LESS, SHOWS_MORE, Chain
from harness.gateway.failures import Failure
from harness.gateway.messages import ToolCall
from harness.gateway.opening import Opening
from harness.gateway.policy import Model, Policy, Secret, check_url
from harness.gateway.record import Call, Refusal, Try
from harness.gateway.recorded import Recorded, Unrecorded
from harness.gateway.server import serve
from harness.gateway.settings import Backoff, GatewaySettings
from harness.gateway.source import Place, Source, Sources
from harness.gateway.talk import Talk
from harness.gateway.witness import Witness

__all__ = [
    "DISAGREES",
    "FORK",
    "OFF_CHAIN",
    "SHOWS_LESS",
    "SHOWS_MORE",
    "Answer",
    "Backoff",
    "Call",
    "Chain",
    "Failure",
    "GatewaySettings",
    "Model",
    "Opening",
    "Place",
    "Policy",
    "Recorded",
    "Refusal",
    "Secret",
    "Source",
    "Sources",
    "Talk",
    "ToolCall",
    "Try",
    "Unrecorded",
    "Usage",
    "Witness",
    "check_url",
    "connected",
    "serve",
]
