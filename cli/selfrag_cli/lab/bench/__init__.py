"""Benchmarks on data that the user brings."""
