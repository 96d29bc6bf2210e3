"""Pure values: what a question, a passage, a verdict and an answer are. Imports nothing of ours."""
