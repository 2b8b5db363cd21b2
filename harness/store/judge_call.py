"""The file of one call of the judge, as far as it says what came of it."""

from collections.abc import Mapping

from harness.errors import CanonicalError
from harness.store.canonical import JSON
from harness.store.fields import Fields

FORMAT = 2


def check(call: Mapping[str, JSON]) -> None:
    """Raises CanonicalError for a call that no version of this format writes; its request is not looked at."""
    fields = Fields(call, "the judge's call")
    if fields.integer("format") != FORMAT:
        raise CanonicalError(f"The format of the judge's call is {call['format']!r}; this version reads {FORMAT}.")
    body, failure = fields.optional("body", fields.text), fields.optional("failure", fields.text)
    if (body is None) == (failure is None):
        raise CanonicalError("A judge's call has either an answer or a failure.")
    times = Fields(fields.any("observed"), "what was observed of the judge's call")
    times.nanoseconds("started_ns")
    times.nanoseconds("ended_ns")
    times.end()
    fields.integer("judging")
    fields.any("request")
    fields.end()
