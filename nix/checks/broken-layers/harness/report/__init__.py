"""The layer report of a package that breaks the layers."""
