"""The sign of a serving chat template that prints a message's list of parts in place of rendering it.

Such a template puts ``[{'type': 'text', 'text': ...}, {'type': 'image'}]`` into the prompt, and the model, which sees
no picture, talks about that list or goes on writing it.
"""

import re
from typing import Final

PRINTED_PARTS: Final = "printed-parts"  # the flag of a record

HINT: Final = (
    "The text of these rollouts shows a printed list of chat parts ([{'type': 'text', ...): the serving chat template "
    "seems to print the parts in place of rendering them, and then the model sees no image. Serve the model with "
    "--chat-template-content-format openai (vLLM), or mend its chat template; then make a new run."
)

# Quotes may be escaped, any number of times. The runs are bounded so that no text is slow to search.
_QUOTE = r"\\{0,8}[\"']"
_GAP = r"(?:\s|\\n){0,20}"
_TEXT = rf"{_QUOTE}(?:input_)?text{_QUOTE}{_GAP},{_GAP}{_QUOTE}text{_QUOTE}{_GAP}:"
_IMAGE = (
    rf"{_QUOTE}(?:input_)?image(?:_url)?{_QUOTE}{_GAP}(?:\}}|,{_GAP}{_QUOTE}(?:image(?:_url)?|detail){_QUOTE}{_GAP}:)"
)
_LIST = re.compile(rf"\[{_GAP}\{{{_GAP}{_QUOTE}type{_QUOTE}{_GAP}:{_GAP}(?:{_TEXT}|{_IMAGE})")
# What stands before a list that is a value in code: a quoted key, an assignment or a call.
_CODE_BEFORE = re.compile(rf"(?:{_QUOTE}{_GAP}:|[=(]){_GAP}\Z")
_BEFORE = 80  # characters looked at before a list
_FENCED = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)


def shows(text: str) -> bool:
    """Whether a text shows a printed list of chat parts.

    That is a list whose first item is a text or image part with ``type`` as its first key, as Python or JSON writes
    it. A list in a fenced block, or one that is the value of a quoted key, of an assignment or of a call is code that
    the model wrote, and doesn't count.
    """
    prose = _FENCED.sub("", text)
    return any(
        _CODE_BEFORE.search(prose[max(0, found.start() - _BEFORE) : found.start()]) is None
        for found in _LIST.finditer(prose)
    )
