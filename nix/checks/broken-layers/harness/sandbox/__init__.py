"""The layer sandbox of a package that breaks the layers."""
