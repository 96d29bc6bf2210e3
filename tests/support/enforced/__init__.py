"""Roles that are enforced in the emulator: what a function or a machine calls is decided by what Terraform applied."""
