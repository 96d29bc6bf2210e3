"""The `selfrag` command and the local stack: everything that exists for the laptop."""
