"""A run as one OCI artifact: written to the same bytes each time, and taken back only when every byte is proven.

docs/archive.md is the specification.
"""
