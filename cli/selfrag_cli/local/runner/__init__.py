"""Interpreter of the deployed definitions: states in threads, Lambdas as calls, and an event history."""
