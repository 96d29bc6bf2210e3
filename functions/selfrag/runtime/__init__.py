"""What a function needs to run: its settings, its log and metrics, and the time that it has left."""
