"""Run the tests of a source tree that can't be written to: ``run_pytest.py SOURCE [ARGUMENT...]`` of pytest.

The harness under test is the installed one; SOURCE stands last on the import path, for what the tests share.
"""

import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest


def main() -> int:
    """Run pytest; its exit status."""
    source, *arguments = sys.argv[1:]
    # Whoever started this in the background may have had them ignored; tests send them to what they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    sys.path.append(source)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.chdir(source)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(Path(scratch, "hypothesis"))
        status = int(pytest.main(["-p", "no:cacheprovider", "--rootdir", source, *arguments]))
    # Whoever owns the store may write there, and a source that was changed can't be bundled.
    if written := list(Path(source).rglob("__pycache__")):
        print(f"The tests have written into the store: {written}", file=sys.stderr)
        return status or 1
    return status


sys.exit(main())
