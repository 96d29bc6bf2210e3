"""The steps of a question: one folder for each state of the workflow."""
