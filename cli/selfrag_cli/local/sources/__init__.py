"""Directories as collections: their files, the registry of their directories, comparison, report and progress."""
