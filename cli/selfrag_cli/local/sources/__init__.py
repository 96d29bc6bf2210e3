"""Directories and sites as collections: their files, their comparison with the manifest, ingestion and its report."""
