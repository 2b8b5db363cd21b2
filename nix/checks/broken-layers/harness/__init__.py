"""A package with the layers of the harness, one of which imports upwards."""
