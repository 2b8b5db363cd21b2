"""The real command line and the harness's namespace, as the other integration tests have them."""

from tests.integration.conftest import _needs_the_closure, environment, harness, short_folder, start
from tests.sandbox.conftest import enter, state_dir

__all__ = ["_needs_the_closure", "enter", "environment", "harness", "short_folder", "start", "state_dir"]
