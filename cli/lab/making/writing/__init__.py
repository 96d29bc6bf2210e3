"""Questions written by Claude, each on passages that it is given."""
