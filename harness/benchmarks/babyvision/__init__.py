"""BabyVision: visual puzzles that small children solve (arXiv 2601.06521), with and without an instruction."""
