"""The command ``harness``, which kills itself with SIGKILL when it is about to take a certain step of a certain file.

    python -I tests/durability/dying.py '{"root": RUN, "kind": ..., "step": ..., "count": N, "blobs": {...}}' WORDS...

It does what ``harness WORDS`` does: enters the namespace with itself as the command, and inside calls the command line.
It dies at the N-th time that the step is reached.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

from harness.cli.main import main
from harness.sandbox import namespace
from tests.durability.points import Watch, kind


def arm(told: str) -> None:
    """Have this process die as it was told."""
    order = json.loads(told)
    root, left, lock = Path(order["root"]), [order["count"]], threading.Lock()

    def tell(path: Path, step: str) -> None:
        if step != order["step"] or root not in path.parents or kind(path, root, order["blobs"]) != order["kind"]:
            return
        with lock:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    Watch(tell).begin()


if __name__ == "__main__":
    if not namespace.inside():
        sys.exit(namespace.enter([sys.executable, "-I", "-B", __file__, *sys.argv[1:]], dict(os.environ)))
    arm(sys.argv[1])
    main(sys.argv[2:])
