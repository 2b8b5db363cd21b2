"""The judge's replies, as the record of another run holds them."""

import asyncio
from collections.abc import Mapping
from typing import Any

import attrs

from harness.grading.judge import Call
from harness.store import clock
from harness.store.canonical import JSON
from harness.store.grades import Grades, request_digest


@attrs.frozen
class RecordedJudge:
    """Gives the replies that a record holds, and keeps ``here`` all of them that count ``there``, in their order.

    ``judging``: of which judging they are (`harness.grading.scorer`); here it is the run's own.
    """

    there: Grades
    here: Grades
    judging: int

    async def ask(self, request: Mapping[str, JSON]) -> Call:
        """The last of them, which the caller keeps; a failure where there is none."""
        return await asyncio.to_thread(self._ask, request)

    def _ask(self, request: Mapping[str, JSON]) -> Call:
        calls = [call for call in self.there.judge_calls(request).values() if call.get("judging") == self.judging]
        if not calls:
            now = clock.now_ns()
            name = request_digest(request)
            return Call(None, f"The record holds no reply of the judge to this request ({name}).", now, now)
        for call in calls[len(self.here.judge_calls(request)) : -1]:
            self.here.write_judge(request, {**call, "judging": 0})
        return _call(calls[-1])


def _call(kept: Mapping[str, Any]) -> Call:
    times = kept["observed"]
    return Call(kept["body"], kept["failure"], int(times["started_ns"]), int(times["ended_ns"]))
