"""JSON objects that prove themselves: canonical JSON whose first key holds the SHA-256 of all the others.

Such a file is ``{"_sha256":"HEX",...}``; HEX is the digest of the canonical bytes of the object without that key. An
underscore comes before every lower-case letter, so the key stands first, and a reader checks the bytes as they are.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from harness.errors import CanonicalError
from harness.store.canonical import DIGITS_MAX, JSON, dumps_escaped, finite, no_constant, unescape_all
from harness.store.digests import digest

KEY: Final = "_sha256"

_HEAD: Final = b'{"_sha256":"'
_BODY: Final = len(_HEAD) + 64 + len(b'",')


def seal(value: Mapping[str, JSON]) -> bytes:
    """The file's bytes. Keys begin with a lower-case letter, and there is at least one; CanonicalError else."""
    if not value or any(not "a" <= key[:1] <= "z" for key in value):
        raise CanonicalError("A sealed object has keys, and each begins with a lower-case letter.")
    body = dumps_escaped(value)
    return _HEAD + digest(body).encode() + b'",' + body[1:]


def unseal(data: bytes) -> dict[str, Any]:
    """The object that `seal` wrote, without the key; raises CanonicalError for bytes that it didn't write.

    The digest says that the bytes are those that were written, so they need not be written again to be compared.
    """
    head, body = data[:_BODY], b"{" + data[_BODY:]
    if not head.startswith(_HEAD) or not head.endswith(b'",'):
        raise CanonicalError(f"It doesn't begin with its own digest, {_HEAD.decode()}...")
    if digest(body).encode() != head[len(_HEAD) : -len(b'",')]:
        raise CanonicalError("It was changed: its bytes don't have the digest that it begins with.")
    try:
        value = _DECODER.decode(body.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise CanonicalError(f"This is no JSON: {error}.") from error
    if not isinstance(value, dict):
        raise CanonicalError("It holds no JSON object.")
    # Only lone surrogates, and texts that look like one, were escaped.
    if b"\\u" not in body:
        return value
    unescaped = unescape_all(value)
    assert isinstance(unescaped, dict)
    return unescaped


def _integer(digits: str) -> int:
    if len(digits) > DIGITS_MAX:
        raise CanonicalError(f"The integer {digits[:40]}... has {len(digits)} digits.")
    return int(digits)


# One for all files: making a decoder takes as long as reading a score.
_DECODER: Final = json.JSONDecoder(parse_int=_integer, parse_float=finite, parse_constant=no_constant)
