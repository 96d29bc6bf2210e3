"""Roles that are enforced in the emulator: who calls, what was decided, and what fails where something is lacking."""
