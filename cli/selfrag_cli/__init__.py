"""The `selfrag` command and the local stack."""
