"""The policy and the judge of a run: where they are, what they allow, and whether they answer."""
