"""Recorded questions judged again under another prompt or model, without search and without writing."""
