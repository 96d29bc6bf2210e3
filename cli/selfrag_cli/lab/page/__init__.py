"""The report as a page: one HTML file that asks for nothing else, with the same as JSON and CSV beside it."""
