"""Records that are whole in themselves and were not made by a recorder."""

import attrs

from harness.store.blobs import Blobs
from harness.store.record import AttemptRecord
from harness.store.replay import Replay


def forged(record: AttemptRecord, blobs: Blobs) -> AttemptRecord:
    """The record with another first id of the upstream's in its pack: its bodies don't come back as they were."""
    ref, pack = record.observed.pack, Replay(record, blobs).pack
    assert ref is not None
    values = attrs.evolve(pack.values, ids=("forged", *pack.values.ids[1:]))
    blob = blobs.put(attrs.evolve(pack, values=values).to_bytes())
    return attrs.evolve(record, observed=attrs.evolve(record.observed, pack=attrs.evolve(ref, blob=blob)))
