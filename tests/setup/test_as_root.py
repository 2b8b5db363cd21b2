"""The tests of this folder that need root, run by an ordinary user as root of a namespace."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.integration
@pytest.mark.skipif(os.getuid() == 0, reason="root runs them anyway")
def test_as_root_of_a_namespace() -> None:
    here = Path(__file__).parent
    files = [str(here / name) for name in ("test_inbox.py", "test_results.py", "test_main.py")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    namespace = ["unshare", "--user", "--map-root-user", "--map-auto", "--mount", "--pid", "--fork", "--kill-child"]
    done = subprocess.run([*namespace, *command], cwd=here.parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
