"""Who answers: an agent turns a task into a sandbox stage, and what came of it into an outcome."""
