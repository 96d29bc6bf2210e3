"""A first set of questions that Claude makes from documents."""
