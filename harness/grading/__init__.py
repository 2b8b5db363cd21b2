"""What an answer is worth: extraction, the judge, verdicts and scores."""
