"""What OpenCode's events show of a conversation: the second witness, beside the gateway's own record."""

import attrs

from harness.gateway.answer import Answer
from harness.gateway.texts import well_formed


@attrs.frozen
class Witness:
    """The texts and the ids of the tool calls, each in the order of the events."""

    texts: tuple[str, ...]
    tool_calls: tuple[str, ...]


@attrs.frozen
class Agreement:
    """How far answers, one after the other, agree with a witness.

    ``texts`` and ``calls`` count what has been shown so far. ``differs`` is true once the witness shows something
    else, ``beyond`` once the answers go on where the witness has ended.
    """

    texts: int = 0
    calls: int = 0
    differs: bool = False
    beyond: bool = False

    @property
    def shown(self) -> int:
        """How many texts and calls were found in the witness."""
        return self.texts + self.calls

    def then(self, answer: Answer, witness: Witness) -> "Agreement":
        """The agreement after one more answer."""
        if self.differs:
            return self
        text = [well_formed(answer.text)] if answer.text else []
        shown_texts = [well_formed(shown) for shown in witness.texts[self.texts : self.texts + len(text)]]
        # Tool calls are shown in the order in which they ended.
        ids = {call.id for call in answer.tool_calls}
        shown_ids = witness.tool_calls[self.calls : self.calls + len(ids)]
        if shown_texts != text[: len(shown_texts)] or len(ids.intersection(shown_ids)) != len(shown_ids):
            return attrs.evolve(self, differs=True)
        return Agreement(
            self.texts + len(shown_texts),
            self.calls + len(shown_ids),
            beyond=self.beyond or len(shown_texts) < len(text) or len(shown_ids) < len(ids),
        )
