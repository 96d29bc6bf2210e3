"""The runtime of a function: its settings, its log and metrics, and its remaining time."""
