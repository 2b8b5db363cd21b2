"""The layer benchmarks of a package that breaks the layers."""
