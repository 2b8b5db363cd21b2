"""Whether the rollouts of a run prove that their sandboxes reached the gateway alone."""
