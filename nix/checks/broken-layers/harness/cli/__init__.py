"""The layer cli of a package that breaks the layers."""
