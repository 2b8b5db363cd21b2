"""OpenCode's configuration file (1.17.11): one provider, one model, nothing that reaches out by itself."""

from typing import Final

from harness.store.canonical import JSON

VERSION: Final = "1.17.11"

# The key of the model in the configuration, which is what OpenCode matches its own sampling defaults against (a key
# with "qwen" in it gets temperature 0.55). The id on the wire is another thing and may be chosen.
MODEL_KEY: Final = "vlm"
PROVIDER: Final = "local"
MODEL: Final = f"{PROVIDER}/{MODEL_KEY}"

# Tools that would leave the sandbox, ask a person, or start a second conversation beside the recorded one.
DENIED_TOOLS: Final = ("webfetch", "websearch", "task", "skill", "question", "lsp")

# Images are passed on as they are up to these limits, in pixels and base64 bytes (OpenCode's own: 2000 and 5 MiB).
MAX_IMAGE_SIDE: Final = 20_000
MAX_IMAGE_BASE64: Final = 50_000_000


def config(alias: str, context: int, max_output: int, address: str) -> dict[str, JSON]:
    """The configuration as a JSON value.

    ``alias`` is the model id on the wire: it chooses which of OpenCode's system prompts is used and stands in it.
    ``context`` and ``max_output`` are tokens. ``address`` is ``host:port`` of the gateway in the sandbox.
    Sampling is left out: what is wanted is put in by the gateway.
    """
    return {
        "$schema": "https://opencode.ai/config.json",
        "model": MODEL,
        "small_model": MODEL,
        "enabled_providers": [PROVIDER],
        "provider": {PROVIDER: _provider(alias, context, max_output, address)},
        "permission": {
            "*": "allow",
            "external_directory": "allow",
            "doom_loop": "allow",
            **dict.fromkeys(DENIED_TOOLS, "deny"),
        },
        # The title agent would make a model call of its own, with the image.
        "agent": {"title": {"disable": True}},
        "compaction": {"auto": False, "prune": False},
        "attachment": {
            "image": {
                "auto_resize": False,
                "max_width": MAX_IMAGE_SIDE,
                "max_height": MAX_IMAGE_SIDE,
                "max_base64_bytes": MAX_IMAGE_BASE64,
            }
        },
        "tool_output": {"max_lines": 2000, "max_bytes": 51_200},  # OpenCode's own defaults, fixed here
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "lsp": False,
        "formatter": False,
        "plugin": [],
        "mcp": {},
        "instructions": [],
        "watcher": {"ignore": ["**"]},
        "username": "user",
    }


def _provider(alias: str, context: int, max_output: int, address: str) -> dict[str, JSON]:
    return {
        "npm": "@ai-sdk/openai-compatible",  # chat completions; bundled in the binary
        "name": "Local",
        "options": {
            "baseURL": f"http://{address}/v1",
            "apiKey": "none",  # the gateway holds the real one
            # Only the gateway bounds a call: OpenCode answers a time-out of its own with retries without end.
            "timeout": False,
            "headerTimeout": False,
        },
        "models": {
            MODEL_KEY: {
                "id": alias,
                "name": MODEL_KEY,
                # Without attachment and the modality an image is replaced by an error text, and the run exits with 0.
                "attachment": True,
                "modalities": {"input": ["text", "image"], "output": ["text"]},
                "reasoning": False,
                "temperature": True,
                "tool_call": True,
                "limit": {"context": context, "output": max_output},
            }
        },
    }
