"""The environment variables of OpenCode's process in the sandbox."""

from collections.abc import Mapping
from typing import Final

# Each turns off something that would look at the network, at other tools' files, or at the model by itself.
_SWITCHES: Final = (
    "OPENCODE_DISABLE_AUTOCOMPACT",
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_DISABLE_PROJECT_CONFIG",
    "OPENCODE_DISABLE_PRUNE",
    "OPENCODE_DISABLE_SHARE",
    "OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER",
    "OPENCODE_PURE",
)


def environment(config_path: str, max_output: int, threads: int) -> Mapping[str, str]:
    """All variables of the process; nothing is inherited.

    ``config_path`` is where the configuration stands in the sandbox, ``max_output`` the tokens of one answer,
    ``threads`` how many of them numeric libraries may start.
    """
    return {
        "PATH": "/opt/opencode/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": "/home",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": str(threads),
        "OPENCODE_CONFIG": config_path,
        "XDG_CONFIG_HOME": "/opt/opencode/xdg-config",
        # OpenCode cuts limit.output to 32000 unless this says more.
        "OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX": str(max_output),
        **dict.fromkeys(_SWITCHES, "1"),
    }
