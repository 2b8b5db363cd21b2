"""The layer pins of a package that breaks the layers."""
