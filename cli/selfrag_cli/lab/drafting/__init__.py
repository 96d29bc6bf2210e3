"""A first set of questions that Claude drafts from documents."""
