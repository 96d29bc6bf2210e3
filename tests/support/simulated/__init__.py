"""Quotas and crowds on a simulated clock."""
