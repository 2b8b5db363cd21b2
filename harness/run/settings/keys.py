"""Keys of endpoints: from the environment or from a file that only its owner can read."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from harness.errors import UsageError
from harness.gateway.policy import Secret
from harness.run.settings.resolve import Settings
from harness.store.foreign import plain

LARGEST: Final = 10_000  # bytes of a file
OPENAI_HOST: Final = "api.openai.com"


def variables(settings: Settings) -> dict[str, tuple[str, ...]]:
    """The variables that may hold the key of ``policy`` and of ``judge``; the first that is set holds."""
    # OpenAI's own key goes to no other host unless a person says so.
    may = settings["send_openai_key"] or urlsplit(settings["judge_base_url"] or "").hostname == OPENAI_HOST
    return {"policy": ("POLICY_API_KEY",), "judge": ("JUDGE_API_KEY", *(("OPENAI_API_KEY",) if may else ()))}


def key(env: Mapping[str, str], variables: tuple[str, ...], file: str | None) -> Secret | None:
    """The key in ``file`` if one is named, else in the first of ``variables`` that is set, else None.

    Raises UsageError for a file that others can read, that can't be read, or that holds no key.
    """
    if file is not None:
        return Secret(_read(Path(file)))
    return next((Secret(env[name]) for name in variables if env.get(name)), None)


def _user() -> str:
    """Who this process is outside of the harness's namespace."""
    return os.environ.get("LOGNAME") or os.environ.get("USER") or "this user"


def _read(path: Path) -> str:
    try:
        handle, status = plain.open_plain(path, follow=True)
        try:
            if status.st_mode & 0o077:
                raise UsageError(f"The key file {path} can be read by others. Run: chmod 600 {path}")
            data = plain.read_beginning(handle, LARGEST + 1)
        finally:
            os.close(handle)
    except plain.NotPlainError:
        raise UsageError(f"The key file {path} is no plain file.") from None
    except OSError as error:
        # Not with just any path in it: somebody may have given the key itself.
        shown = f" {path}" if path.is_absolute() else ""
        raise UsageError(
            f"The key file{shown} can't be read by {_user()}: {error.strerror}. It must be that user's own, with mode "
            f"0600: install -m 600 -o {_user()} KEY FILE. A key file's path is given, never the key."
        ) from None
    if len(data) > LARGEST:
        raise UsageError(f"The key file {path} holds no key: it has more than {LARGEST:,} bytes.")
    try:
        return data.decode("ascii").strip()
    except UnicodeDecodeError:
        raise UsageError(f"The key file {path} holds no key: keys are ASCII.") from None
