"""The layer agents of a package that breaks the layers."""
