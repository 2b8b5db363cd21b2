"""The layer grading of a package that breaks the layers."""
