"""Pure values: questions, passages, verdicts and answers; imports no other package of selfrag."""
