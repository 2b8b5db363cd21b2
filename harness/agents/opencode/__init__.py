"""OpenCode 1.17.11 as an agent: its configuration, its command, its events, and what a run of it came to."""
