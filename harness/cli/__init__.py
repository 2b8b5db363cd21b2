"""The command line: one module per command; reads arguments, prints, decides nothing."""
