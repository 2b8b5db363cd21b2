"""Troubleshooting quotes the program: each message that it explains is one that the program says."""

import re

from tests.docs.documents import DOCS, ROOT, Page

QUOTED = 8  # characters from which a piece of a quotation is looked for


def test_every_message_in_troubleshooting_is_one_that_the_program_says() -> None:
    said = sources()
    wrong = [message for message in messages() if any(piece not in said for piece in pieces(message))]
    assert wrong == [], "the program says none of these any more"


def test_a_message_that_nobody_says_is_noticed() -> None:
    assert pieces("holds another harness ... than") == ["holds another harness"]
    assert not all(piece in sources() for piece in pieces("holds quite another harness ..."))


def messages() -> list[str]:
    """The code in the first column of the tables headed "what is said"."""
    found, said, column = [], False, 0
    for token, inner in zip(PAGE.tokens, PAGE.tokens[1:], strict=False):
        if token.type in ("thead_open", "tr_open"):
            column = 0
        if token.type == "th_open":
            said = inner.content == "what is said" if column == 0 else said
            column += 1
        if token.type == "td_open":
            if said and column == 0:
                found += [child.content for child in inner.children or () if child.type == "code_inline"]
            column += 1
    return found


def pieces(message: str) -> list[str]:
    """What of a quotation stands in the program's text as it is."""
    return [piece.strip() for piece in message.split("...") if len(piece.strip()) >= QUOTED]


def sources() -> str:
    """The program's text, with texts that go over several lines as one."""
    files = (*ROOT.glob("harness/**/*.py"), *ROOT.glob("nix/setup/*.sh"))
    text = "\n".join(path.read_text() for path in files)
    return re.sub(r'"\s*\n\s*f?"', "", text)


PAGE = Page.read(DOCS / "troubleshooting.md")
