"""Measurements that print figures; neither installed nor tests."""
