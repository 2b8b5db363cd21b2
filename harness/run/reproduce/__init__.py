"""Doing an archived run again: with the very harness that made it, from nothing but its record, and comparing all."""
