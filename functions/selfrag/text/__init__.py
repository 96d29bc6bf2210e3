"""Pure functions on text. Imports nothing of ours."""
