"""A simulated Messages API on loopback: it takes time, refuses, caches prompts and bills as the service does."""
