"""A hermetic, reproducible evaluation harness for models that work as agents."""

__version__ = "0.1.0"
