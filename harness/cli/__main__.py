"""``python -m harness.cli``: how the harness calls itself inside its own namespace."""

from harness.cli.main import main

main()
