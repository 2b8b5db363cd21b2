"""Scoring a run again, from its folder alone; and asking its judge again, where that is wanted."""
