"""The layer run of a package that breaks the layers."""
