"""BabyVision's data: the authors' ZIP and the parquet, read as hostile input and installed by content."""
