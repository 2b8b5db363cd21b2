"""The store paths of a closure and the SHA-256 of each one's NAR, as JSON: ``[{"nar_sha256": HEX, "path": PATH}]``.

Nix tells them to a derivation with structured attributes; ``named`` is the path that only stood for what it names.
"""

import base64
import json
from pathlib import Path

DIGITS = "0123456789abcdfghijklmnpqrsvwxyz"  # Nix's base 32


def hexadecimal(text: str) -> str:
    """A digest as Nix tells it: ``sha256:`` and base 32, the last bits first, or ``sha256-`` and base 64."""
    if text.startswith("sha256-"):
        return base64.b64decode(text.removeprefix("sha256-"), validate=True).hex()
    number = 0
    for digit in text.removeprefix("sha256:"):
        number = number << 5 | DIGITS.index(digit)
    return number.to_bytes(32, "little").hex()


def main() -> None:
    """Write the list to the output."""
    told = json.loads(Path(".attrs.json").read_text())  # NIX_ATTRS_JSON_FILE of Nix 2.8 is not its path in the sandbox
    found = {entry["path"]: hexadecimal(entry["narHash"]) for entry in told["closure"]}
    del found[told["named"]]
    closure = [{"path": path, "nar_sha256": found[path]} for path in sorted(found)]
    Path(told["outputs"]["out"]).write_text(json.dumps(closure, sort_keys=True, indent=1) + "\n")


main()
