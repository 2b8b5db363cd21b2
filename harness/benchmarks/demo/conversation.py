"""Reading a chat-completions conversation as a model would be shown it."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence

import attrs

from harness.benchmarks.demo.draw import Picture, decode

# How OpenCode tells the model where an attached file lies.
_ATTACHED = re.compile(r'^Called the Read tool with the following input: \{"filePath":"([^"\\]+)"\}$')


@attrs.frozen
class Conversation:
    """``said`` counts the model's own turns; ``pictures`` are in the order of the conversation."""

    prompt: str
    folder: str
    file: str
    said: int
    tool_results: tuple[str, ...]
    pictures: tuple[bytes, ...] = attrs.field(repr=False)

    def picture(self, index: int) -> Picture:
        """ValueError if there is no such picture."""
        if index >= len(self.pictures):
            raise ValueError(f"picture {index + 1} is missing")
        return decode(self.pictures[index])


def read(messages: Sequence[object]) -> Conversation:
    """What the messages say; whatever has an odd shape is passed over."""
    known = [message for message in messages if isinstance(message, dict)]
    user = [text for message in known if message.get("role") == "user" for text in _texts(message)]
    path = next((match[1] for text in user if (match := _ATTACHED.match(text))), "image")
    folder, _, name = path.rpartition("/")
    return Conversation(
        prompt=_prompt(known),
        folder=folder or ".",
        file=name,
        said=sum(message.get("role") == "assistant" for message in known),
        tool_results=tuple(text for message in known if message.get("role") == "tool" for text in _texts(message)),
        pictures=tuple(picture for message in known for picture in _pictures(message)),
    )


def _prompt(messages: Sequence[Mapping[str, object]]) -> str:
    """The last text of the user's first message: attached files are announced before it."""
    first = next((message for message in messages if message.get("role") == "user"), {})
    return next(reversed([*_texts(first)]), "")


def _items(message: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    content = message.get("content")
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from (item for item in content if isinstance(item, dict))


def _texts(message: Mapping[str, object]) -> Iterator[str]:
    for item in _items(message):
        text = item.get("text")
        if item.get("type") == "text" and isinstance(text, str):
            yield text


def _pictures(message: Mapping[str, object]) -> Iterator[bytes]:
    for item in _items(message):
        source = item.get("image_url")
        url = source.get("url") if isinstance(source, dict) else None
        if isinstance(url, str) and url.startswith("data:") and ";base64," in url:
            try:
                yield base64.b64decode(url.partition(";base64,")[2], validate=True)
            except binascii.Error:
                continue
