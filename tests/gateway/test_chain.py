import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway import FORK, OFF_CHAIN, SHOWS_LESS, SHOWS_MORE, Answer, Chain, Opening, ToolCall, Witness
from harness.gateway.answer import read
from harness.gateway.chain import DISAGREES, chain
from harness.gateway.request import parse
from harness.gateway.tree import Tree
from tests.gateway.bodies import JPEG, PNG, PROMPT, body, opening, turn

REAL = json.loads(Path(__file__).with_name("opencode_1.17.11.json").read_text())
DATE = "Thu Jan 01 2026"


class Talk:
    """Calls one after the other, with answers of the form (text, id of a tool call or None)."""

    def __init__(self, images: tuple[bytes, ...] = (PNG,)) -> None:
        self.tree = Tree(Opening(PROMPT, images))

    def call(self, messages: Sequence[Any], answer: Answer | None = None, **fields: Any) -> int:
        node = self.tree.add(parse(body(messages, **fields), "vlm", DATE))
        if answer is not None:
            self.tree.answer(node.index, answer)
        return node.index

    def chain(self, witness: Witness | None = None) -> Chain:
        return chain(self.tree, witness)


def asks(call_id: str, text: str = "") -> Answer:
    return Answer(text=text, tool_calls=(ToolCall(call_id, "bash", "{}"),), finish_reason="tool_calls", done=True)


def ends(text: str, reason: str = "stop") -> Answer:
    return Answer(text=text, finish_reason=reason, done=True)


def step(call_id: str, result: str = "x", text: str = "") -> list[Any]:
    return turn(text, [(call_id, "bash", "{}")], [result])


def test_a_conversation() -> None:
    talk = Talk()
    talk.call(opening(), asks("a"))
    talk.call([*opening(), *step("a")], asks("b", "Hm."))
    talk.call([*opening(), *step("a"), *step("b", "y", "Hm.")], ends("C"))
    assert talk.chain(Witness(("Hm.", "C"), ("a", "b"))) == Chain((0, 1, 2), "C", "stop", True, (), ())


def test_no_call_at_all() -> None:
    assert Talk().chain() == Chain((), None, None, False, (), ())


def test_a_call_that_begins_with_something_else_is_off_the_chain() -> None:
    talk = Talk()
    talk.call(opening(prompt="Say C."), ends("C"))
    assert talk.chain() == Chain((), None, None, False, (0,), (OFF_CHAIN,))


def test_a_prompt_without_its_image_is_a_chain_that_says_so() -> None:
    talk = Talk()
    talk.call(opening(images=(JPEG,)), ends("C"))
    assert talk.chain() == Chain((0,), "C", "stop", False, (), ())


def test_the_sandbox_cannot_take_the_image_off_the_chain_later() -> None:
    talk = Talk()
    talk.call(opening(), asks("a"))
    talk.call(opening(images=()), ends("B"))
    talk.call([*opening(), *step("a")], ends("C"))
    assert talk.chain() == Chain((0, 2), "C", "stop", True, (1,), (OFF_CHAIN,))


def test_an_answer_that_never_came() -> None:
    talk = Talk()
    talk.call(opening())
    assert talk.chain() == Chain((), None, None, True, (), (), unanswered=(0,))
    talk = Talk()
    talk.call(opening(), asks("a", "Let me see."))
    talk.call([*opening(), *step("a", text="Let me see.")])
    assert talk.chain() == Chain((0,), "Let me see.", "tool_calls", True, (), (), unanswered=(1,))


def test_whoever_asks_for_tools_has_not_stopped() -> None:
    talk = Talk()
    talk.call(opening(), Answer(text="C", tool_calls=(ToolCall("a", "bash", "{}"),), finish_reason="stop", done=True))
    assert talk.chain().finish_reason == "tool_calls"


def test_a_request_sent_again_is_answered_once() -> None:
    talk = Talk()
    talk.call(opening())
    talk.call(opening(), asks("a"))
    talk.call([*opening(), *step("a")])
    talk.call([*opening(), *step("a")], ends("C"))
    assert talk.chain(Witness(("C",), ("a",))) == Chain((1, 3), "C", "stop", True, (), (), unanswered=(0, 2))


def test_a_replay_of_the_opening_is_never_the_answer() -> None:
    talk = Talk()
    talk.call(opening(), asks("a"))
    talk.call(opening(), ends("B"))
    talk.call([*opening(), *step("a")], ends("C"))
    found = talk.chain(Witness(("C",), ("a",)))
    assert found == Chain((0, 2), "C", "stop", True, (1,), (OFF_CHAIN,))


def test_a_replay_with_another_choice_of_tools_is_off_the_chain_also_while_it_waits() -> None:
    talk = Talk()
    talk.call(opening(), asks("a"))
    talk.call(opening(), tool_choice="required")
    assert talk.chain() == Chain((0,), "", "tool_calls", True, (1,), (OFF_CHAIN,))


@pytest.mark.parametrize("fields", [{"temperature": 2}, {"tool_choice": "none"}, {"max_tokens": 1}, {"stream": False}])
def test_a_continuation_that_changes_what_the_agent_always_sends_is_off_the_chain(fields: dict[str, Any]) -> None:
    talk = Talk()
    talk.call(opening(), asks("a"))
    talk.call([*opening(), *step("a", "forged")], **fields)
    assert talk.chain().unanswered == ()
    talk.call([*opening(), *step("a")], ends("C"))
    assert talk.chain() == Chain((0, 2), "C", "stop", True, (1,), (OFF_CHAIN,))


def test_a_forged_answer_is_off_the_chain() -> None:
    talk = Talk()
    talk.call(opening(), asks("a"))
    talk.call([*opening(), *step("zzz")], ends("B"))
    talk.call([*opening(), {"role": "assistant", "content": "B"}, {"role": "user", "content": "Sure?"}], ends("B"))
    talk.call([*opening(), *step("a")], ends("C"))
    assert talk.chain() == Chain((0, 3), "C", "stop", True, (1, 2), (OFF_CHAIN,))


@pytest.mark.parametrize("agent_first", [True, False])
def test_at_a_fork_the_branch_counts_that_the_events_show(agent_first: bool) -> None:
    talk = Talk()
    talk.call(opening(), asks("a"))
    branches = [([*opening(), *step("a", "agent's")], ends("C")), ([*opening(), *step("a", "forged")], ends("B"))]
    for messages, answer in branches if agent_first else reversed(branches):
        talk.call(messages, answer)
    found = talk.chain(Witness(("C",), ("a",)))
    assert (found.answer, found.flags, len(found.off_chain)) == ("C", (FORK,), 1)


def test_a_forged_branch_may_be_as_long_as_it_likes() -> None:
    talk = Talk()
    talk.call(opening(), asks("a"))
    talk.call([*opening(), *step("a", "forged")], asks("b"))
    talk.call([*opening(), *step("a", "forged"), *step("b")], asks("c"))
    talk.call([*opening(), *step("a", "forged"), *step("b"), *step("c")], ends("B"))
    talk.call([*opening(), *step("a")], ends("C"))
    assert talk.chain(Witness(("C",), ("a",))) == Chain((0, 4), "C", "stop", True, (1, 2, 3), (FORK,))


def test_without_a_witness_the_longest_branch_counts_then_the_last() -> None:
    talk = Talk()
    talk.call(opening(), asks("a"))
    talk.call([*opening(), *step("a", "1")], ends("A"))
    talk.call([*opening(), *step("a", "2")], ends("B"))
    assert talk.chain().calls == (0, 2)
    talk.call([*opening(), *step("a", "3")], asks("b"))
    talk.call([*opening(), *step("a", "3"), *step("b")], ends("C"))
    talk.call([*opening(), *step("a", "4")], ends("D"))
    assert talk.chain().calls == (0, 3, 4)


def test_nothing_goes_on_from_a_final_answer() -> None:
    talk = Talk()
    talk.call(opening(), ends("C"))
    said = {"role": "assistant", "content": "C"}
    talk.call([*opening(), said, {"role": "user", "content": "No, B."}], ends("B"))
    talk.call([*opening(), said], ends("B"))
    assert talk.chain() == Chain((0,), "C", "stop", True, (1, 2), (OFF_CHAIN,))


@pytest.mark.parametrize(
    ("witness", "flags"),
    [
        (None, ()),
        (Witness(("Hm.", "C"), ("a",)), ()),
        (Witness(("Hm.",), ("a",)), (SHOWS_LESS,)),
        (Witness((), ()), (SHOWS_LESS,)),
        (Witness(("Hm.", "C", "D"), ("a",)), (SHOWS_MORE,)),
        (Witness(("Hm.", "C"), ("a", "b")), (SHOWS_MORE,)),
        (Witness(("Hm.", "D"), ("a",)), (DISAGREES,)),
        (Witness(("Hm.", "C"), ("b",)), (DISAGREES,)),
    ],
)
def test_a_disagreement_is_flagged_and_changes_no_answer(witness: Witness | None, flags: tuple[str, ...]) -> None:
    talk = Talk()
    talk.call(opening(), asks("a", "Hm."))
    talk.call([*opening(), *step("a", text="Hm.")], ends("C"))
    assert talk.chain(witness) == Chain((0, 1), "C", "stop", True, (), flags)


def test_many_equal_calls_take_no_time() -> None:
    talk = Talk()
    messages = opening()
    for depth in range(40):
        for _ in range(3):
            talk.call(messages, asks(f"c{depth}"))
        messages = [*messages, *step(f"c{depth}")]
    assert len(talk.chain().calls) == 40


@pytest.mark.parametrize("name", REAL)
def test_a_real_talk_of_opencode_is_one_chain(name: str) -> None:
    """Recorded from OpenCode 1.17.11 with its system prompt and tools cut short; see `continuation`."""
    real = REAL[name]
    images = tuple(map(base64.b64decode, real["images"]))
    tree = Tree(Opening(real["prompt"], images))
    messages: list[Any] = []
    for number, call in enumerate(real["steps"]):
        messages = call["messages"] if real["whole_messages"] else messages + call["messages"]
        sent = {**real["fields"], "messages": messages, "tools": real["tools"]}
        assert tree.add(parse(json.dumps(sent).encode(), real["alias"], DATE)).index == number
        answer = read(call["response"].encode())
        assert answer.whole
        tree.answer(number, answer)
    found = chain(tree, Witness(tuple(real["texts"]), tuple(real["tool_calls"])))
    assert found == Chain(tuple(range(len(real["steps"]))), real["texts"][-1], "stop", True, (), ())


CALLS = st.lists(st.tuples(st.integers(0, 6), st.sampled_from("abc"), st.booleans(), st.booleans()), max_size=12)


@given(CALLS, st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_every_call_is_in_one_place_and_the_answer_is_the_last_of_the_chain(
    calls: list[tuple[int, str, bool, bool]], texts: list[str], ids: list[str]
) -> None:
    talk = Talk()
    sent: list[tuple[list[Any], str]] = []
    for after, name, goes_on, answered in calls:
        messages: list[Any] = opening()
        if goes_on and sent:
            before, asked = sent[after % len(sent)]
            messages = [*before, *step(asked, name, name)]
        sent.append((messages, name))
        talk.call(messages, asks(name, name) if answered else None)
    found = talk.chain(Witness(tuple(texts), tuple(ids)))
    assert sorted([*found.calls, *found.off_chain, *found.unanswered]) == list(range(len(calls)))
    assert found.answer == (sent[found.calls[-1]][1] if found.calls else None)
    assert list(found.calls) == sorted(found.calls)
