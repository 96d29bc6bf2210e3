"""The definitions of the state machines."""
