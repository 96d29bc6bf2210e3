"""The steps of ingestion: one folder for each state of its workflow."""
