"""A run: the questions of each variant, their budget, and the file of the answers."""
