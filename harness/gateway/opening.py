"""Whether a conversation begins with the harness's own words and images."""

import json
from collections.abc import Sequence
from typing import Literal

import attrs

from harness.gateway.images import Image, image_of
from harness.gateway.messages import Message

# whole: prompt and images are there. no-images: the prompt is, but not exactly the images.
Match = Literal["whole", "no-images"]

# How OpenCode 1.17.11 puts a --file before the prompt: these two texts, then the image.
_CALLED = "Called the Read tool with the following input: "
_READ = "Image read successfully"


@attrs.frozen
class Opening:
    """What the chain's first request must hold: the prompt and the images' bytes, in order."""

    prompt: str = attrs.field(repr=False)
    images: tuple[bytes, ...] = attrs.field(repr=False)

    def shape(self) -> "Shape":
        """The same with digests in place of the images."""
        return Shape(self.prompt, tuple(map(image_of, self.images)))


@attrs.frozen
class Shape:
    """An opening as messages are compared with it."""

    prompt: str
    images: tuple[Image, ...]

    def match(self, messages: Sequence[Message]) -> Match | None:
        """How well these messages are the opening; None if they are something else.

        They must be system messages, then one user message that ends with exactly the prompt. Before the prompt
        stand the images, each led in by OpenCode's two texts, and nothing else; or it is no whole match.
        """
        *before, user = messages
        if not before or any(message.role != "system" for message in before) or user.role != "user":
            return None
        *files, prompt = user.parts
        if prompt != self.prompt:
            return None
        return "whole" if self._are_the_images(files) else "no-images"

    def _are_the_images(self, parts: Sequence[str | Image]) -> bool:
        groups = [tuple(parts[at : at + 3]) for at in range(0, len(parts), 3)]
        if len(groups) != len(self.images):
            return False
        return all(
            len(group) == 3 and _names_a_file(group[0]) and group[1] == _READ and group[2] == image
            for group, image in zip(groups, self.images, strict=True)
        )


def _names_a_file(text: str | Image) -> bool:
    if not isinstance(text, str) or not text.startswith(_CALLED):
        return False
    try:
        value = json.loads(text.removeprefix(_CALLED))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.keys() == {"filePath"}
