"""A run: manifest, plan, attempts, grading, summary."""
