"""Walks through every alternative of a definition."""
