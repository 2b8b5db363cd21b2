"""The layer errors of a package that breaks the layers."""
