"""A demo without keys, data or network: puzzles drawn from a seed, and a scripted policy and judge behind real HTTP."""
