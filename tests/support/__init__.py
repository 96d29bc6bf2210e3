"""Shared test code: scripted steps, doubles of the services, and a walker of the definition."""
