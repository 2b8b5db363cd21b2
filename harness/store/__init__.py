"""What a run keeps: blobs by digest, canonical JSON, records and the run folder."""
