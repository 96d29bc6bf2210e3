"""From this checkout to what the Lambda service runs."""
