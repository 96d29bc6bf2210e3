"""What people said of answers, as a question set."""
