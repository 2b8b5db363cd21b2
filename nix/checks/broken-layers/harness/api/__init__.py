"""The layer api of a package that breaks the layers."""
