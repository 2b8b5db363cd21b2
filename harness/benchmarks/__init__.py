"""What is asked, and against what an answer is graded."""
