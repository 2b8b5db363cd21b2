"""The model under test, and the key that only the gateway ever holds."""

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NoReturn
from urllib.parse import quote, urlsplit

import attrs

from harness.errors import UsageError
from harness.store.canonical import JSON

# Fields of an upstream request that the gateway decides by itself; sampling must not name them.
RESERVED: Final = frozenset(
    {"model", "messages", "tools", "tool_choice", "stream", "stream_options", "n", "max_tokens"}
)

# Shorter "keys" are placeholders such as "none" or "EMPTY": looking for them would only chop words out of texts.
SHORTEST_KEY: Final = 8


class Secret:
    """A key that no text, record or pickle shows; `reveal` is the only way to it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        if not value or not value.isascii() or not value.isprintable() or " " in value:
            # The value stays out of the message, also where it is wrong.
            raise UsageError("An API key must be printable ASCII without spaces. Check the variable or file it is in.")
        self._value = value

    def reveal(self) -> str:
        """The key itself: for the header of a request and nothing else."""
        return self._value

    def redact(self, text: str) -> str:
        """The text with the key replaced, should an endpoint have echoed it."""
        for form in self._forms():
            text = text.replace(form, "[key]")
        return text

    def blank(self, data: bytearray) -> None:
        """Overwrites the key with as many asterisks: lengths and JSON stay as they were.

        Also its beginning where that is the end of the data: what was cut off may have gone on with the rest.
        """
        for form in map(str.encode, self._forms()):
            at = -1
            while (at := data.find(form, at + 1)) >= 0:
                data[at : at + len(form)] = b"*" * len(form)
            for size in range(min(len(form), len(data)), SHORTEST_KEY - 1, -1):
                if data.endswith(form[:size]):
                    data[-size:] = b"*" * size

    def _forms(self) -> Sequence[str]:
        """The key as it stands in a header, in JSON and in an address, longest first.

        JSON has its habits: slashes with a backslash before them or not, what HTML might take for its own as numbers.
        """
        if len(self._value) < SHORTEST_KEY:
            return ()
        in_json = json.dumps(self._value)[1:-1]
        forms = {self._value, in_json, in_json.replace("/", "\\/"), quote(self._value, safe="")}
        forms |= {_numbered(form, kind) for form in (in_json, in_json.replace("/", "\\/")) for kind in ("04x", "04X")}
        forms |= {json.dumps(form)[1:-1] for form in forms}  # a router may quote another's error, JSON in JSON
        return sorted(forms, key=len, reverse=True)

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("A key is never pickled or copied.")


def _numbered(text: str, kind: str) -> str:
    return "".join(f"\\u{ord(sign):{kind}}" if sign in "&<>'+" else sign for sign in text)


def _frozen(given: Mapping[str, JSON]) -> Mapping[str, JSON]:
    return MappingProxyType(dict(given))


@attrs.frozen(kw_only=True)
class Model:
    """What of the model under test decides its answers.

    ``model`` is the name the endpoint knows; ``sampling`` are further fields of each request, empty for the endpoint's
    own defaults (a ``max_completion_tokens`` in it is sent in the place of ``max_tokens``, which newer OpenAI models
    refuse); ``max_output`` and ``context`` are tokens.

    Raises:
        UsageError: one of them can't be right.
    """

    model: str
    sampling: Mapping[str, JSON] = attrs.field(converter=_frozen)
    max_output: int
    context: int

    def __attrs_post_init__(self) -> None:
        if not self.model:
            raise UsageError("The policy has no model name. Give the one that its endpoint knows.")
        for name in sorted(RESERVED & self.sampling.keys()):
            raise UsageError(f"Sampling can't set {name!r}: the harness decides it.")
        if not 0 < self.max_output < self.context:
            raise UsageError(
                f"A policy needs 0 < max output < context, in tokens; these are {self.max_output} and {self.context}."
            )


@attrs.frozen(kw_only=True)
class Policy(Model):
    """The model under test and how it is reached; ``base_url`` ends before ``/chat/completions``.

    Raises:
        UsageError: one of them can't be right.
    """

    base_url: str
    api_key: Secret | None

    def __attrs_post_init__(self) -> None:
        check_url(self.base_url, "policy")
        super().__attrs_post_init__()

    @property
    def endpoint(self) -> str:
        """The URL that every call goes to."""
        return self.base_url.rstrip("/") + "/chat/completions"

    def redact(self, text: str) -> str:
        """The text without the key."""
        return self.api_key.redact(text) if self.api_key else text

    def blank(self, data: bytearray) -> None:
        """Overwrites the key in the data."""
        if self.api_key:
            self.api_key.blank(data)

    def holds_key(self, text: str) -> bool:
        """Whether the key stands in a text."""
        return self.redact(text) != text


def check_url(url: str, whose: str) -> None:
    """Raises UsageError unless this can be the base URL of an endpoint; ``whose`` is policy or judge."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, brackets that don't match
        raise UsageError(f"The {whose}'s base URL can't be read. It looks like https://host/v1.") from None
    if "@" in url:
        # Anywhere: a password with a slash in it makes its beginning the host, which would be looked up. The URL stays
        # out of the message.
        raise UsageError(
            f"The {whose}'s base URL holds a user name or password. Leave it out; a key has its own place."
        )
    if parts.query or parts.fragment:
        # Out of the message as well: some endpoints take their key as a query.
        raise UsageError(
            f"The {whose}'s base URL has a query or a fragment. It looks like https://host/v1, without one."
        )
    if not good or not url.isascii() or not url.isprintable() or " " in url:
        raise UsageError(f"{url!r} is no base URL of a {whose}. It looks like https://host/v1.")
