"""Benchmarks of one's own: a Python file says what is asked and how it is graded (docs/extending.md)."""
