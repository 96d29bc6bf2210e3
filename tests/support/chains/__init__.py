"""Invented facts in chains, and a scripted model without other knowledge."""
