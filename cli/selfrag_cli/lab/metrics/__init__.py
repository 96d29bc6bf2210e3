"""Measures of answers, and of the difference between two variants."""
