"""Brings the pinned files onto this machine; standard library only, since it runs before anything is built."""
