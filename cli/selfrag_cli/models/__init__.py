"""Checks of the configured models."""
