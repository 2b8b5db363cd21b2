"""The layer store of a package that breaks the layers."""

import harness.run  # noqa: F401
