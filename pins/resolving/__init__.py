"""Turns wanted.toml into the pins, on purpose: nothing else changes a pin. Standard library only."""
