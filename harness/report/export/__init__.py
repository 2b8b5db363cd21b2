"""A run in the files of others: NeMo Gym's, a parquet table, chats as JSON lines. docs/export.md names the keys.

All of it is read from the run folder alone, one rollout at a time.
"""
