"""Scores that were tampered with and sealed again."""

import re

from harness.store.digests import digest

_HEAD = b'{"_sha256":"'


def rewarded(data: bytes, reward: bytes) -> bytes:
    """A sealed score with another reward, which may be none that JSON has, under a seal that is right."""
    body = b"{" + data[len(_HEAD) + 64 + len(b'",') :]
    changed, count = re.subn(rb'"reward":[^,}]+', b'"reward":' + reward, body)
    assert count == 1
    return _HEAD + digest(changed).encode() + b'",' + changed[1:]
