"""These tests are of the documents: a tree without any, such as the one that the unit tests are built from, has none.

``checks.documents`` runs them in a tree that has.
"""

from tests.docs.documents import DOCS

collect_ignore_glob = [] if DOCS.is_dir() else ["test_*"]
