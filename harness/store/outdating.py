"""What was stated of a run's files is true until one of them changes: whoever writes takes the statement away first.

It can always be made again: an archive of the run has one.
"""

from harness.store import atomic
from harness.store.layout import Layout


def outdate(layout: Layout) -> None:
    """Take provenance.json away; raises as `harness.store.atomic` does."""
    with atomic.explained(layout.provenance):
        layout.provenance.unlink(missing_ok=True)
