"""A run: who is asked what, for how much, and where the answers are kept."""
