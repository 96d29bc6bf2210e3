"""Pure values: questions, passages, verdicts and answers. Imports nothing of ours."""
