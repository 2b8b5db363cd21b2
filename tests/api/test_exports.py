"""What the package gives, and what it costs to import."""

import subprocess
import sys

from harness import api

HEAVY = ("PIL", "aiohttp", "cv2", "httpx", "numpy", "openai", "podman", "pyarrow", "pydantic", "rich", "scipy")


def test_its_names() -> None:
    assert sorted(api.__all__) == [
        "Benchmark",
        "CheckFailedError",
        "HarnessError",
        "HostUnfitError",
        "Interval",
        "Rollout",
        "Run",
        "Settings",
        "StoreCorruptError",
        "Summary",
        "Task",
        "UnknownNameError",
        "UsageError",
        "boxed",
        "evaluate",
        "open_run",
        "string_match",
    ]
    assert [name for name in api.__all__ if not hasattr(api, name)] == []


def test_nothing_heavy_is_imported_with_it() -> None:
    script = f"import sys, harness.api; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
