"""Quotas and crowds on a clock that nobody waits for."""
