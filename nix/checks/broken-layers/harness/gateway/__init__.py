"""The layer gateway of a package that breaks the layers."""
