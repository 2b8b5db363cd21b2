"""Removes what dead processes of this user left on this node: ``python -m harness.sandbox.sweeper`` in the namespace.

Only there may files of the sandboxes' own ids be removed. Each start of the harness does the same.
"""

import os

from harness.sandbox import base, namespace, reaper

if __name__ == "__main__":
    reaper.sweep(base.folder(os.environ, int(os.environ[namespace.HOST_UID])))
