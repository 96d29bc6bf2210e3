"""Feedback on answers as a question set."""
