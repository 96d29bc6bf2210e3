"""Rounds, seconds, tokens and dollars of the workflow against a simulated Claude."""
