"""The rule from a rollout to its score; what the judge is asked, and which of its replies counts."""

from collections.abc import Mapping

import attrs

from harness.grading import prompt
from harness.grading.extraction import boxed
from harness.grading.item import Item
from harness.grading.prompt import JudgeSettings
from harness.grading.score import Score, judged, unanswered
from harness.store.canonical import JSON
from harness.store.digests import Digest
from harness.store.grades import request_digest


@attrs.frozen
class Asked:
    """What the judge is asked about a rollout: ``name`` is the request's digest."""

    extracted: str | None
    request: Mapping[str, JSON]
    name: Digest


def asked(settings: JudgeSettings, item: Item) -> Asked | None:
    """None where there is no answer to judge. Takes time in proportion to the answer."""
    if item.answer is None or not item.answer.strip():
        return None
    extracted = boxed(item.answer)
    request = prompt.request(settings, item.question, item.gold, extracted, item.answer)
    return Asked(extracted, request, request_digest(request))


def own(calls: Mapping[int, Mapping[str, JSON]], judging: int) -> dict[int, Mapping[str, JSON]]:
    """Of the judge's kept calls those of one judging, by their numbers."""
    return {number: call for number, call in sorted(calls.items()) if call.get("judging") == judging}


def score(
    settings: JudgeSettings, judging: int, item: Item, about: Asked | None, calls: Mapping[int, Mapping[str, JSON]]
) -> Score:
    """The score of a rollout, of which ``about`` is asked and ``calls`` are all kept calls about it."""
    if about is None:
        return unanswered(item.ended, item.failure_kind)
    return judged(about.extracted, item.gold, own(calls, judging), model=settings.model, request=about.name)
