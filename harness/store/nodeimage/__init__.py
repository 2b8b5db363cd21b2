"""The harness and all that it needs as one executable file, for machines without /nix.

::

    header.sh, filled in     what the host's own shell runs: says what is missing, else enters a namespace
    a tar                    a static shell, squashfuse, unshare, setpriv, their libraries, inside.sh
    a squashfs image         the store paths, as the root folder's entries

Each part begins at a multiple of `BLOCK` bytes. The same closure gives the same bytes.
"""

from typing import Final

#: An image's own path, in the environment of the harness that runs out of it (inside.sh).
IMAGE: Final = "HARNESS_NODE_IMAGE"
