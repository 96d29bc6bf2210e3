"""Recall and latency of the search by full text, by vectors and by both."""
